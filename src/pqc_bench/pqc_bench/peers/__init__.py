# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel beside others: programs that carry the same datagrams, and their comparison."""
