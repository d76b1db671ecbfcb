# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The protocol of docs/protocol.md in plain Python, to learn it from and to check the tunnel with.

It talks to `pqc_tunneld` and to the tunnel node, in either role. Read it in this order:

- `suites`, `policy`: the algorithms, and which of them an end allows
- `messages`, `key_schedule`, `drone_handshake`, `gcs_handshake`: how two ends agree on keys
- `aead`, `epoch_keys`, `replay_window`: the frames that those keys protect
- `control`, `streams`: what travels in frames besides the datagrams of applications
- `key_slots`, `peer`, `end`: old and new keys side by side, one remote end, one end
- `attempt`, `prekeys`, `rekey`, `drone`: the drone
- `challenges`, `served_session`, `served_rekeys`, `served_drone`, `ground`: the ground station
- `datagrams`, `shell`, `reference_command`: sockets and timers, and the program

Do not use it with keys that matter: Python can neither wipe secrets nor lock them in memory, and
the running time of the Ascon ciphers depends on their keys.
"""
