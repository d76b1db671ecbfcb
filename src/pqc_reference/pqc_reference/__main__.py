# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_reference`."""

import sys

from pqc_reference.main import main

sys.exit(main())
