# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Peers: the tunnel and other programs that carry the same datagrams, and their comparison."""
