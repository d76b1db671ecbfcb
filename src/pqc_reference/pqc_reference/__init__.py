# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The protocol of docs/protocol.md in plain Python, to learn from and to check the tunnel with.

It speaks with `pqc_tunneld` and the tunnel node, in either role. Read it in this order:

- `suites`, `policy`: which algorithms there are, and which of them both ends allow
- `messages`, `key_schedule`, `handshake`: how the two ends agree on keys, over TCP
- `aead`, `session`, `replay_window`, `control`: what those keys protect, over UDP
- `key_slots`, `peer`: old and new keys side by side, and everything about one remote
- `drone`, `ground`: the two roles, and rekeying

It is no place for keys that matter: Python can neither wipe secrets nor lock them in memory, and
what the Ascon ciphers take time for depends on their keys.
"""
