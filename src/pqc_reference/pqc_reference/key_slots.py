# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Old and new keys side by side, so that a rekey loses nothing ("Rekey" of the protocol page)."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_reference.epoch_keys import EpochKeys

_MAX_OLDER = 4
_MAX_PENDING = 2


@dataclass
class _Older:
    keys: EpochKeys
    confirmed: bool
    until: float = float("inf")


class KeySlots:
    """The keys in use for sending, the pending ones, and the former ones that still receive."""

    def __init__(self) -> None:
        self.sending: EpochKeys | None = None
        self.confirmed = False  # whether the other end has proved that it has the sending keys
        self._pending: list[EpochKeys] = []  # newest first
        self._older: list[_Older] = []  # newest first
        self.session_ids: set[bytes] = set()
        self._by_name: dict[bytes, list[EpochKeys]] = {}

    def find(self, name: bytes) -> list[EpochKeys]:
        """Return the keys with a frame's name; there are several after a repeated handshake."""
        return self._by_name.get(name, [])

    def install_for_sending(self, keys: EpochKeys) -> None:
        """Send under new keys from now on; for the drone, after ServerFinish."""
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, self.confirmed))
        self.sending, self.confirmed = keys, False
        self._update()

    def install_pending(self, keys: EpochKeys) -> None:
        """Receive under new keys, too; for the GCS, before ServerFinish."""
        self._pending = [keys, *self._pending][:_MAX_PENDING]
        self._update()

    def note_received(self, keys: EpochKeys) -> bool:
        """Record a packet under some keys; True if it is the first that proves new keys."""
        if keys is self.sending:
            first, self.confirmed = not self.confirmed, True
            return first
        if keys not in self._pending:
            return False
        # The GCS sends under pending keys from the first packet under them; earlier ones are void.
        if self.sending is not None:
            self._older.insert(0, _Older(self.sending, True))
        self._pending = self._pending[: self._pending.index(keys)]
        self.sending, self.confirmed = keys, True
        self._update()
        return True

    def retire_older(self, when: float) -> None:
        """Let all former keys expire at a time, monotonic in s."""
        for older in self._older:
            older.until = min(older.until, when)

    def handle_tick(self, now: float) -> None:
        """Forget the former keys that have expired; `now` is monotonic, in s."""
        if any(now >= older.until for older in self._older):
            self._older = [older for older in self._older if now < older.until]
            self._update()

    def _update(self) -> None:
        while len(self._older) > _MAX_OLDER:
            # The GCS certainly has the newest confirmed keys: never drop those.
            held = next((older for older in self._older if older.confirmed), None)
            self._older.remove(next(o for o in reversed(self._older) if o is not held))
        every = [*self._pending, *filter(None, [self.sending]), *(o.keys for o in self._older)]
        self.session_ids = {keys.id for keys in every}
        self._by_name = {}
        for keys in every:
            self._by_name.setdefault(keys.name, []).append(keys)
