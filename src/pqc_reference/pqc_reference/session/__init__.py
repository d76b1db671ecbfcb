# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an end holds of one session: keys, replay window, the other end's clock."""
