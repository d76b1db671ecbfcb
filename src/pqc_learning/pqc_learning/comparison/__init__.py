# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Does adapting pay? Strategies over the same simulated flights, with paired differences."""
