# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel beside others: what carries the same datagrams, and how they are compared."""
