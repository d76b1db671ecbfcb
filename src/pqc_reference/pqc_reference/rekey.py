# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's side of a rekey, from top to bottom: make before break."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from pqc_reference.backoff import CONTROL_TRIES, control_retries
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.drone_handshake import Resumed
from pqc_reference.handshake import Failure, HandshakeFailed
from pqc_reference.key_schedule import SessionSecrets
from pqc_reference.session import Session
from pqc_reference.suites import Suite

_HANDSHAKE_TRIES = 3
_PREPARE_LIMIT_S = 120.0
_LAST_EPOCH = 255


class RekeyFailed(Exception):
    """A rekey that came to nothing: the old keys stay. `blames_suite`: the suite is blacklisted."""

    def __init__(self, text: str, *, blames_suite: bool = False) -> None:
        """Say why."""
        super().__init__(text)
        self.blames_suite = blames_suite


class SessionLost(Exception):
    """Nothing is heard from the ground station any more."""


class Line(Protocol):
    """What a rekey needs of the drone that does it."""

    def send(self, kind: Control, transaction: int, *fields: Any) -> None:
        """Send a control frame under the newest keys."""

    def await_frame(self, transaction: int, seconds: float) -> ControlFrame | None:
        """Wait for a frame of a transaction; SessionLost if the peer falls silent for long."""

    def shake_hands(self, suite: Suite, resumed: Resumed | None) -> SessionSecrets:
        """Do a handshake."""

    def install(self, suite: Suite, session_id: bytes, epoch: int, keys: SessionSecrets) -> Session:
        """Send under new keys from now on."""

    def confirmed(self) -> bool:
        """Whether a packet has come under the newest keys."""


def rekey(line: Line, suite: Suite, current: Session, report: Callable[[str], None]) -> None:
    """Do a whole rekey; RekeyFailed or SessionLost if it comes to nothing."""
    transaction = new_transaction()
    if current.epoch < _LAST_EPOCH:
        resumed = Resumed(current.id, current.epoch, current.resumption)
        session_id, epoch = current.id, current.epoch + 1
    else:
        resumed, session_id, epoch = None, b"", 0

    last = ""
    for _ in range(_HANDSHAKE_TRIES):
        _prepare(line, suite, epoch, transaction)
        try:
            keys = line.shake_hands(suite, resumed)
            break
        except HandshakeFailed as failed:
            last = str(failed)
            if failed.failure not in (Failure.UNPROVED, Failure.BUSY):
                raise RekeyFailed(last, blames_suite=failed.failure.blames_suite) from failed
            report(f"handshake failed: {last}")
            line.await_frame(transaction, control_retries().next())
    else:
        raise RekeyFailed(f"{_HANDSHAKE_TRIES} handshakes failed, the last because {last}")

    session = line.install(suite, session_id or keys.session_id, epoch, keys)
    retry = control_retries()
    while not line.confirmed():
        line.send(Control.COMMIT, transaction, session.id, epoch, session.transcript_tag)
        line.await_frame(transaction, retry.next())


def new_transaction() -> int:
    """Return a number that no other transaction has."""
    return secrets.randbits(32)


def _prepare(line: Line, suite: Suite, epoch: int, transaction: int) -> None:
    """Ask for keys until the ground station has them ready."""
    retry = control_retries()
    limit = time.monotonic() + _PREPARE_LIMIT_S
    while retry.tries < CONTROL_TRIES and time.monotonic() < limit:
        line.send(Control.PREPARE, transaction, epoch, suite.wire_id)
        wait = retry.next()
        while (frame := line.await_frame(transaction, wait)) is not None:
            if frame.kind is Control.READY:
                return
            if frame.kind is Control.BUSY:
                # It is alive and at work: the tries begin again, after about as long as it says.
                retry.reset()
                wait = min(max(frame.fields[0] / 1000, 0.25), 4.0)
            elif frame.kind is Control.ABORT:
                in_progress = frame.fields[0] == Abort.IN_PROGRESS
                text = "the ground station can't rekey to " + suite.name
                raise RekeyFailed(text, blames_suite=not in_progress)
    raise RekeyFailed("the ground station did not get ready in time")
