# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The model of the drone's end of a tunnel, for every simulation."""
