# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Old and new keys side by side, so that a rekey loses nothing ("Rekey" of the protocol page)."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_reference.session.epoch_keys import EpochKeys

_MAX_OLDER = 4
_MAX_PENDING = 2


@dataclass
class _Older:
    keys: EpochKeys
    confirmed: bool
    accepted_until: float = float("inf")
    until: float = float("inf")


class KeySlots:
    """The keys in use for sending, the pending ones, and the former ones that still receive."""

    def __init__(self) -> None:
        self.sending: EpochKeys | None = None
        self.confirmed = False  # whether the other end has proved that it has the sending keys
        self._pending: list[EpochKeys] = []  # newest first
        self._older: list[_Older] = []  # newest first

    @property
    def pending(self) -> tuple[EpochKeys, ...]:
        """The keys that the other end has not proved, newest first."""
        return tuple(self._pending)

    def find(self, key_id: int) -> list[EpochKeys]:
        """Return the keys with an id, newest first; keys can have the same id by chance."""
        return [keys for keys in self._every() if keys.receive_id == key_id]

    def accepts(self, keys: EpochKeys, now: float) -> bool:
        return all(older.keys is not keys or now < older.accepted_until for older in self._older)

    def install_for_sending(self, keys: EpochKeys) -> None:
        """Send under new keys from now on; for the drone, after CONFIRM."""
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, self.confirmed))
        self.sending, self.confirmed = keys, False
        self._drop_surplus()

    def install_pending(self, keys: EpochKeys) -> None:
        """Receive under new keys, too; for the GCS, before CONFIRM."""
        self._pending = [keys, *self._pending][:_MAX_PENDING]

    def note_received(self, keys: EpochKeys) -> bool:
        """Record a frame under some keys; True if it is the first that proves new keys."""
        if keys is self.sending:
            first, self.confirmed = not self.confirmed, True
            return first
        if keys not in self._pending:
            return False
        # The GCS sends under pending keys from the first frame under them; earlier ones are void.
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, True))
        self._pending = self._pending[: self._pending.index(keys)]
        self.sending, self.confirmed = keys, True
        self._drop_surplus()
        return True

    def retire_older(self, accepted_until: float, until: float) -> None:
        """Let all former keys expire: first what they receive, then they themselves."""
        for older in self._older:
            older.accepted_until = min(older.accepted_until, accepted_until)
            older.until = min(older.until, until)

    def next_timeout(self) -> float:
        return min((older.until for older in self._older), default=float("inf"))

    def handle_timeout(self, now: float) -> None:
        self._older = [older for older in self._older if now < older.until]

    def _every(self) -> list[EpochKeys]:
        sending = [self.sending] if self.sending is not None else []
        return [*self._pending, *sending, *(older.keys for older in self._older)]

    def _drop_surplus(self) -> None:
        while len(self._older) > _MAX_OLDER:
            # The GCS certainly has the newest confirmed keys: never drop those.
            held = next((older for older in self._older if older.confirmed), None)
            self._older.remove(next(o for o in reversed(self._older) if o is not held))
