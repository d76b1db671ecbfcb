# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reports of a simulated tunnel: the states of a TunnelStatus, and TunnelEvents."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class State(IntEnum):
    DISCONNECTED = 0
    CONNECTING = 1
    HANDSHAKING = 2
    ESTABLISHED = 3
    REKEYING = 4
    LOST = 5


class Kind(IntEnum):
    """The kinds of TunnelEvent that a simulated tunnel publishes."""

    HANDSHAKE_STARTED = 0
    HANDSHAKE_COMPLETED = 1
    HANDSHAKE_FAILED = 2
    REKEY_STARTED = 3
    REKEY_PREPARED = 4
    REKEY_COMMITTED = 5
    REKEY_CONFIRMED = 6
    REKEY_FAILED = 7
    ROLLBACK = 8
    PEER_LOST = 9
    PEER_BACK = 10
    REFUSED = 13


# With these events the drone sends under new keys.
NEW_KEYS = (Kind.HANDSHAKE_COMPLETED, Kind.REKEY_COMMITTED)
# These say that a rekey is over, and that there are no new keys.
NO_KEYS = (Kind.REKEY_FAILED, Kind.ROLLBACK, Kind.REFUSED)


@dataclass(frozen=True, slots=True)
class Event:
    kind: Kind
    at_s: float
    suite: str
    epoch: int
    text: str
