# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends of the independent peer under a virtual clock, from the tests of pqc_reference."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "pqc_reference" / "test"))

_MODULE = "world"
_WORLD: Any = importlib.import_module(_MODULE)
World, ReferenceLink, suite_named = _WORLD.World, _WORLD.Link, _WORLD.suite
