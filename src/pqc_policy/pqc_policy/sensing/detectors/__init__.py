# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The detectors of attacks, and the advisor that judges by them."""
