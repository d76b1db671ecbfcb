# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Peers: the tunnel and other programs that carry the same datagrams, and their comparison."""

# Peers that negotiate a suite.
WITH_SUITE = ("node", "tunneld", "reference")
VPNS = ("boringtun", "openvpn")
PEER_NAMES = ("direct", "relay", "relay-unbatched", *WITH_SUITE, *VPNS)
