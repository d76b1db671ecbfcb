# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rekey storm: its order, its course, what came out of it and whether that's good."""
