# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The first of several links fails while the vehicle flies, and comes back."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence

from pqc_sim.pair.links import EmulatedLink

# Shares of the flight.
_CUT_AT, _CUT_FOR, _CUT_AT_MOST = 0.4, 0.2, 0.5
# A link that works is found again by probes; on a radio they take several seconds.
_RECOVERY_S = 10.0
Signal = Callable[[str, signal.Signals], bool]


class LinkCut:
    """Decides when the link is cut and restored; a single link is not cut."""

    def __init__(self, links: Sequence[EmulatedLink], seconds: float, send: Signal) -> None:
        """Plan the cut; `send` sends a signal to the emulator with a summary of that name."""
        self.link = links[0].name if len(links) > 1 else ""
        self._seconds = seconds
        self._send = send
        self._cut_at_s: float | None = None
        self.restored_at_s: float | None = None

    @property
    def is_cut(self) -> bool:
        return self._cut_at_s is not None and self.restored_at_s is None

    def update(self, flown_s: float, *, airborne: bool, busy: bool) -> str:
        """Cut or restore the link if it is time; return what was done, in words.

        What is under way (`busy`) may end first, unless it lasts too long.
        """
        if not self.link or self.restored_at_s is not None:
            return ""
        if self._cut_at_s is None:
            if airborne and flown_s >= _CUT_AT * self._seconds:
                self._cut_at_s = flown_s
                self._send(f"link-{self.link}", signal.SIGUSR1)
                return f"the link {self.link} is cut"
        elif flown_s >= self._cut_at_s + (_CUT_AT_MOST if busy else _CUT_FOR) * self._seconds:
            self.restored_at_s = flown_s
            self._send(f"link-{self.link}", signal.SIGUSR2)
            return f"the link {self.link} is restored"
        return ""

    def fault(self, flown_s: float, states: dict[str, str]) -> str:
        """Return what is wrong at the end of the flight, given each link's state; empty if nothing.

        A flight that ends soon after the link was restored proves nothing.
        """
        if self.restored_at_s is None or flown_s < self.restored_at_s + _RECOVERY_S:
            return ""
        down = [name for name, state in states.items() if state != "up"]
        return f"the link {down[0]} did not come back" if down else ""
