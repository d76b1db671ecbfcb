# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The files that a user copies and changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_path


def parameter_file(folder: Path, name: str, changes: dict[str, Any]) -> Path:
    """Return a copy of a file of config/, changed, in a folder."""
    original = get_package_share_path("pqc_tunnel") / "config" / name
    content = yaml.safe_load(original.read_text())
    content["/**/tunnel"]["ros__parameters"].update(changes)
    copy = folder / name
    copy.write_text(yaml.safe_dump(content))
    return copy
