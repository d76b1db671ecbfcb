# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rate that a tunnel sustains: options, run and text of `bench saturation`."""
