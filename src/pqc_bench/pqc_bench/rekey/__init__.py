# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rekey storm: its order, its course, its result and the verdict."""
