# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rekey storm: the order of its suites, its course, its result and the verdict."""
