# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Shows the live view and reads keys: in place on a terminal, line by line elsewhere."""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import time
import tty

from pqc_sim.demo.picture import Snapshot, one_line, picture

_REDRAW_S = 0.25
_LINE_S = 3.0
_HIDE, _SHOW, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[?25l", "\x1b[?25h", "\x1b[K", "\x1b[J"


class Terminal:
    """Standard input and output; use it as a context manager, so that the terminal is restored."""

    def __init__(self) -> None:
        """Find out whether there is a terminal at all."""
        self._in_place = sys.stdout.isatty()
        self._keys = sys.stdin.isatty()
        self._drawn = 0
        self._events_told = 0
        self._next = 0.0
        self._before: list[object] | None = None

    def __enter__(self) -> Terminal:
        """Take over the terminal."""
        if self._keys:
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        if self._in_place:
            self._write(_HIDE)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back as it was."""
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._before)
        if self._in_place:
            self._write(_SHOW)

    def pressed(self) -> str:
        """Return the keys pressed since the last call."""
        if not self._keys or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        return os.read(sys.stdin.fileno(), 64).decode("ascii", "replace")

    def show(self, shot: Snapshot, *, now: bool = False) -> None:
        """Show a snapshot if it's time to."""
        if self._in_place:
            if self._due(_REDRAW_S) or now:
                self._redraw(shot)
            return
        for event in shot.events[self._events_told :]:
            self._write(f"         {event}\n")
        self._events_told = len(shot.events)
        if self._due(_LINE_S) or now:
            self._write(one_line(shot) + "\n")

    def _due(self, period_s: float) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + period_s
        return True

    def _redraw(self, shot: Snapshot) -> None:
        size = shutil.get_terminal_size()
        lines = picture(shot)[: max(1, size.lines - 1)]
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        body = "".join(f"\r{cut(line, size.columns)}{_CLEAR_LINE}\n" for line in lines)
        self._write(f"{up}{body}{_CLEAR_BELOW}")
        self._drawn = len(lines)

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def cut(line: str, width: int) -> str:
    """Cut a line to a width; escape sequences take no room."""
    out, room, position = [], width, 0
    while position < len(line):
        if line[position] == "\x1b":
            end = line.index("m", position) + 1
            out.append(line[position:end])
            position = end
            continue
        if room > 0:
            out.append(line[position])
            room -= 1
        position += 1
    return "".join(out)
