# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Traffic for the tunnel, and proof that it arrives."""
