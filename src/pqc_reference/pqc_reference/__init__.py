# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The protocol of docs/protocol.md in plain Python, to learn it from and to check the tunnel with.

It talks to `pqc_tunneld` and to the tunnel node, in either role. Read it in this order:

- `suites`, `policy`: the algorithms, and which of them an end allows
- `messages`, `key_schedule`, `drone_handshake`, `gcs_handshake`: how they agree on keys, over TCP
- `aead`, `epoch_keys`, `replay_window`, `control`: the frames that those keys protect, over UDP
- `key_slots`, `peer`: old and new keys side by side, and the state of one remote end
- `drone`, `ground`: the two roles; `reference_command`: the program

Do not use it with keys that matter: Python can neither wipe secrets nor lock them in memory, and
the running time of the Ascon ciphers depends on their keys.
"""
