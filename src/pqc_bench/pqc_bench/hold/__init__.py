# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""An adversary on the path who holds traffic back, and the age of what is delivered."""
