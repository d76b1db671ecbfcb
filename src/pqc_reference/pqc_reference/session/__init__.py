# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of one session at one end: keys, replay window, the other end's clock."""
