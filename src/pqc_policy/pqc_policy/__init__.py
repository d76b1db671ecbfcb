# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which cipher suite a drone should fly with, decided from what it senses."""
