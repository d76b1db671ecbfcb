# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a companion computer, as files like those of /sys."""

from __future__ import annotations

from pathlib import Path

_FILES = {
    "class/thermal/thermal_zone0/type": "cpu-thermal",
    "class/thermal/thermal_zone0/temp": "55000",  # 0.001 °C
    "class/hwmon/hwmon0/name": "ina219",
    "class/hwmon/hwmon0/power1_input": "4300000",  # µW
}


def write_sensors(root: Path) -> Path:
    """Write the files below a folder; return it."""
    for name, text in _FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="ascii")
    return root
