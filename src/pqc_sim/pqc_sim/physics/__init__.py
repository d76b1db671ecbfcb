# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Pure models behind a simulated flight: battery pack, computer, radio; time is an argument."""
