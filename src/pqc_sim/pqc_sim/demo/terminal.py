# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The terminal of the demonstration: the live view on it, and the keys pressed."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty
from contextlib import ExitStack
from typing import TextIO

from rich.console import Console
from rich.live import Live

from pqc_sim.demo.live_view import Snapshot, View, render_line

_REDRAW_S = 0.25
_LINE_S = 3.0


class Terminal:
    """Use it as a context manager, so that the terminal is restored.

    On a terminal it draws the view on the alternate screen; elsewhere, and on a dumb terminal, it
    writes plain lines.
    """

    def __init__(self, output: TextIO) -> None:
        """Check whether input and output are a terminal."""
        self._output = output
        self._console = Console(file=output, highlight=False)
        in_place = output.isatty() and not self._console.is_dumb_terminal
        self._live = (
            Live(
                console=self._console,
                screen=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            if in_place
            else None
        )
        self._keys = _in_foreground()
        self._stack = ExitStack()
        self._events_shown = 0
        self._next = 0.0

    def __enter__(self) -> Terminal:
        """Read single keys, and open the screen."""
        if self._keys:
            before = termios.tcgetattr(sys.stdin)
            self._stack.callback(termios.tcsetattr, sys.stdin, termios.TCSANOW, before)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        if self._live is not None:
            # A stopped process would leave its screen to the shell.
            self._stack.callback(
                signal.signal, signal.SIGTSTP, signal.signal(signal.SIGTSTP, signal.SIG_IGN)
            )
            self._stack.enter_context(self._live)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def pressed(self) -> str:
        """Return the keys pressed since the last call."""
        if not self._keys or not select.select([sys.stdin], [], [], 0)[0]:
            return ""
        pressed = os.read(sys.stdin.fileno(), 64)
        self._keys = bool(pressed)  # nothing: the terminal has gone
        return pressed.decode("ascii", "replace")

    def show(self, shot: Snapshot, *, now: bool = False) -> None:
        """Show a snapshot, unless the last one is too recent."""
        if self._live is not None:
            if self._due(_REDRAW_S) or now:
                self._live.update(View(shot), refresh=True)
            return
        for event in shot.events[self._events_shown :]:
            self._write(f"{event.time}  {event.text}")
        self._events_shown = len(shot.events)
        if self._due(_LINE_S) or now:
            self._write(render_line(shot))

    def _due(self, period_s: float) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + period_s
        return True

    def _write(self, line: str) -> None:
        self._output.write(f"{line}\n")
        self._output.flush()


def _in_foreground() -> bool:
    """Return whether keys can be read: a job in the background is stopped when it tries to."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp() and sys.stdin is not None
    except OSError:
        return False
