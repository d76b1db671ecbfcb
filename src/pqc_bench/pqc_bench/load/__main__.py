# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.load`."""

from __future__ import annotations

import sys

from pqc_bench.load.main import main

if __name__ == "__main__":
    sys.exit(main())
