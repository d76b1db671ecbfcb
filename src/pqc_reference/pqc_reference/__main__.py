# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_reference`."""

import sys

from pqc_reference.reference_command import main

sys.exit(main())
