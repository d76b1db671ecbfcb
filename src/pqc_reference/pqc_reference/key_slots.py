# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Old and new keys side by side, so that rekeying loses nothing ("Rekey" of the protocol page)."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_reference.session import Session

_MOST_OLDER = 4
_MOST_PENDING = 2
_NEVER = float("inf")


@dataclass
class _Older:
    session: Session
    confirmed: bool
    until: float = _NEVER


class KeySlots:
    """The keys this end sends under, those it waits for, and former ones that still may receive."""

    def __init__(self) -> None:
        """Begin without keys."""
        self.sending: Session | None = None
        self.confirmed = False  # whether the other end has shown that it has the sending keys
        self._pending: list[Session] = []  # newest first
        self._older: list[_Older] = []  # newest first
        self.session_ids: set[bytes] = set()
        self._by_name: dict[bytes, list[Session]] = {}

    def find(self, name: bytes) -> list[Session]:
        """Return the keys for frames of a name; several if a handshake was repeated."""
        return self._by_name.get(name, [])

    def install_for_sending(self, session: Session) -> None:
        """Send under new keys from now on: what the drone does after ServerFinish."""
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, self.confirmed))
        self.sending, self.confirmed = session, False
        self._tidy()

    def install_pending(self, session: Session) -> None:
        """Receive under new keys, too: what the GCS does before ServerFinish."""
        self._pending = [session, *self._pending][:_MOST_PENDING]
        self._tidy()

    def note_received(self, session: Session) -> bool:
        """Note a packet under some keys; True if it is the first that proves new keys."""
        if session is self.sending:
            first, self.confirmed = not self.confirmed, True
            return first
        if session not in self._pending:
            return False
        # The GCS sends under pending keys from the first packet under them; those before are void.
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, True))
        self._pending = self._pending[: self._pending.index(session)]
        self.sending, self.confirmed = session, True
        self._tidy()
        return True

    def retire_older(self, when: float) -> None:
        """Let go of all former keys at a time."""
        for older in self._older:
            older.until = min(older.until, when)

    def handle_timeout(self, now: float) -> None:
        """Let go of what is due."""
        if any(now >= older.until for older in self._older):
            self._older = [older for older in self._older if now < older.until]
            self._tidy()

    def _tidy(self) -> None:
        while len(self._older) > _MOST_OLDER:
            # The newest confirmed keys are what the GCS surely has: they stay to the last.
            surely_held = next((o for o in self._older if o.confirmed), None)
            self._older.remove(next(o for o in reversed(self._older) if o is not surely_held))
        newest = [*self._pending, *filter(None, [self.sending])]
        sessions = [*newest, *(older.session for older in self._older)]
        self.session_ids = {session.id for session in sessions}
        self._by_name = {}
        for session in sessions:
            self._by_name.setdefault(session.name, []).append(session)
