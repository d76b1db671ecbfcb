# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What is written in Python around the tunnel: the parts of its launch files."""
