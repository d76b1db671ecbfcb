# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The live view: redrawn in place on a terminal, line by line elsewhere; and the keys pressed."""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import time
import tty
from dataclasses import dataclass, field
from typing import Any

_BOLD, _DIM, _GREEN, _YELLOW, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
_HIDE, _SHOW, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[?25l", "\x1b[?25h", "\x1b[K", "\x1b[J"
_EVENTS_SHOWN = 6
_REDRAW_S = 0.25
_LINE_S = 3.0


@dataclass(frozen=True)
class TunnelEnd:
    """One end of the tunnel, from its status; the handshake is the latest one."""

    state: str
    up: bool
    suite: str
    level: int
    epoch: int
    rekeys: int
    handshake_ms: float | None
    dropped: dict[str, int] = field(default_factory=dict)  # datagrams by reason


@dataclass(frozen=True)
class Snapshot:
    """The values to show at one moment; None and empty values appear as a dash."""

    phase: str
    elapsed_s: float
    total_s: float
    drone: TunnelEnd | None = None
    rtt_ms: float | None = None
    jitter_ms: float | None = None
    down_hz: float | None = None
    up_hz: float | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    vehicle: dict[str, Any] = field(default_factory=dict)
    tap: dict[str, Any] = field(default_factory=dict)
    ground: dict[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()


_NO_TUNNEL = TunnelEnd("", False, "", 0, 0, 0, None)


def render(shot: Snapshot) -> list[str]:
    """Return the view for a terminal, one string a line."""
    drone = shot.drone or _NO_TUNNEL
    colour = _GREEN if drone.up else _YELLOW
    dropped = "   ".join(f"{name} {count}" for name, count in shot.dropped.items())
    length = f"{shot.elapsed_s:.0f} s" + (f" of {shot.total_s:.0f} s" if shot.total_s else "")
    level = f"   level {drone.level}" if drone.level else ""
    handshake = f"latest handshake {_ms(drone.handshake_ms)}"
    return [
        f"{_BOLD}PQC-MAV{_RESET}   {shot.phase}   {length}",
        "",
        _line("tunnel", f"{colour}{drone.state or 'not started'}{_RESET}"),
        _line("suite", f"{drone.suite or '-'}{level}"),
        _line("keys", f"epoch {drone.epoch}   rekeys {drone.rekeys}   {handshake}"),
        _line("link", f"round trip {_ms(shot.rtt_ms)}   jitter {_ms(shot.jitter_ms)}"),
        _line("down", _flow(shot.down_hz, shot.vehicle, shot.tap)),
        _line("up", _flow(shot.up_hz, shot.tap, shot.vehicle)),
        _line("dropped", dropped or "nothing"),
        _line("vehicle", _vehicle(shot.vehicle.get("vehicle", {}))),
        _line("ground", _ground(shot.ground)),
        "",
        *(f"{_DIM}{event}{_RESET}" for event in shot.events[-_EVENTS_SHOWN:]),
        "",
        f"{_BOLD}r{_RESET} rekey   {_BOLD}q{_RESET} quit",
    ]


def render_line(shot: Snapshot) -> str:
    """Return the view as one line for a log."""
    drone = shot.drone or _NO_TUNNEL
    parts = [
        f"{shot.elapsed_s:5.0f} s",
        shot.phase,
        drone.state or "no tunnel",
        f"{drone.suite or '-'} epoch {drone.epoch}",
        f"down {_hz(shot.down_hz)}",
        f"up {_hz(shot.up_hz)}",
        f"round trip {_ms(shot.rtt_ms)}",
        f"dropped {sum(shot.dropped.values())}",
    ]
    return "  ".join(parts)


def _line(name: str, text: str) -> str:
    return f"  {_DIM}{name:<9}{_RESET}{text}"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} ms"


def _hz(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}/s"


def _flow(rate: float | None, sender: dict[str, Any], receiver: dict[str, Any]) -> str:
    sent = sender.get("sent", {}).get("datagrams", 0)
    received = receiver.get("received", {}).get("datagrams", 0)
    corrupted = receiver.get("received", {}).get("corrupted", 0)
    return f"{_hz(rate):>9}   {sent:,} sent   {received:,} received   {corrupted:,} corrupted"


def _vehicle(vehicle: dict[str, Any]) -> str:
    if not vehicle:
        return "-"
    armed = "armed" if vehicle["armed"] else "disarmed"
    mission = f"{vehicle['mission_current']} of {max(0, vehicle['mission_items'] - 1)}"
    return (
        f"{vehicle['mode']} {armed}   {vehicle['height_m']:.1f} m   "
        f"{vehicle['speed_m_s']:.1f} m/s   {vehicle['battery_v']:.2f} V "
        f"{vehicle['battery_charge'] * 100:.0f} %   item {mission}"
    )


def _ground(ground: dict[str, Any]) -> str:
    if not ground:
        return "-"
    text = f"MAVProxy {ground['state']}"
    if ground.get("parameters") is not None:
        text += f"   {ground['parameters']} parameters"
    if ground.get("mission_items") is not None:
        text += f"   {ground['mission_items']} mission items"
    return text


class Terminal:
    """Standard input and output; use it as a context manager, so that the terminal is restored."""

    def __init__(self) -> None:
        """Check whether input and output are a terminal."""
        self._in_place = sys.stdout.isatty()
        self._keys = sys.stdin.isatty()
        self._drawn = 0
        self._events_shown = 0
        self._next = 0.0
        self._before: list[object] | None = None

    def __enter__(self) -> Terminal:
        """Read single keys, and hide the cursor."""
        if self._keys:
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        if self._in_place:
            self._write(_HIDE)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""
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
        """Show a snapshot, unless the last one is too recent."""
        if self._in_place:
            if self._due(_REDRAW_S) or now:
                self._redraw(shot)
            return
        for event in shot.events[self._events_shown :]:
            self._write(f"         {event}\n")
        self._events_shown = len(shot.events)
        if self._due(_LINE_S) or now:
            self._write(render_line(shot) + "\n")

    def _due(self, period_s: float) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + period_s
        return True

    def _redraw(self, shot: Snapshot) -> None:
        size = shutil.get_terminal_size()
        lines = render(shot)[: max(1, size.lines - 1)]
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        body = "".join(f"\r{cut(line, size.columns)}{_CLEAR_LINE}\n" for line in lines)
        self._write(f"{up}{body}{_CLEAR_BELOW}")
        self._drawn = len(lines)

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def cut(line: str, width: int) -> str:
    """Cut a line to a width in characters; escape sequences do not count."""
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
