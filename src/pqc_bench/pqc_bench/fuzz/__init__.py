# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The libFuzzer targets of pqc_tunnel."""
