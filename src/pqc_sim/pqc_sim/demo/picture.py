# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The live view as text: from a snapshot to lines, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_BOLD, _DIM, _GREEN, _YELLOW, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
_EVENTS_SHOWN = 6


@dataclass(frozen=True)
class Snapshot:
    """What there is to show at one moment; empty or None is shown as a dash."""

    stage: str
    elapsed_s: float
    total_s: float
    state: str = ""
    up: bool = False
    suite: str = ""
    level: int = 0
    epoch: int = 0
    rekeys: int = 0
    handshake_ms: float | None = None
    rtt_ms: float | None = None
    jitter_ms: float | None = None
    down_hz: float | None = None
    up_hz: float | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    vehicle: dict[str, Any] = field(default_factory=dict)
    tap: dict[str, Any] = field(default_factory=dict)
    ground: dict[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()


def picture(shot: Snapshot) -> list[str]:
    """Return the view for a terminal, one string a line."""
    colour = _GREEN if shot.up else _YELLOW
    length = f"{shot.elapsed_s:.0f} s" + (f" of {shot.total_s:.0f} s" if shot.total_s else "")
    level = f"   level {shot.level}" if shot.level else ""
    lines = [
        f"{_BOLD}PQC-MAV{_RESET}   {shot.stage}   {length}",
        "",
        _row("tunnel", f"{colour}{shot.state or 'not there yet'}{_RESET}"),
        _row("suite", f"{shot.suite or '-'}{level}"),
        _row("keys", f"epoch {shot.epoch}   rekeys {shot.rekeys}   {_handshake(shot)}"),
        _row("link", f"round trip {_ms(shot.rtt_ms)}   jitter {_ms(shot.jitter_ms)}"),
        _row("down", _flow(shot.down_hz, shot.vehicle, shot.tap)),
        _row("up", _flow(shot.up_hz, shot.tap, shot.vehicle)),
        _row("dropped", _drops(shot.dropped)),
        _row("vehicle", _vehicle(shot.vehicle.get("vehicle", {}))),
        _row("ground", _ground(shot.ground)),
        "",
        *(f"{_DIM}{event}{_RESET}" for event in shot.events[-_EVENTS_SHOWN:]),
        "",
        f"{_BOLD}r{_RESET} rekey   {_BOLD}q{_RESET} quit",
    ]
    return lines


def one_line(shot: Snapshot) -> str:
    """Return the view for a log."""
    parts = [
        f"{shot.elapsed_s:5.0f} s",
        shot.stage,
        shot.state or "no tunnel",
        f"{shot.suite or '-'} epoch {shot.epoch}",
        f"down {_hz(shot.down_hz)}",
        f"up {_hz(shot.up_hz)}",
        f"round trip {_ms(shot.rtt_ms)}",
        f"dropped {sum(shot.dropped.values())}",
    ]
    return "  ".join(parts)


def _row(name: str, text: str) -> str:
    return f"  {_DIM}{name:<9}{_RESET}{text}"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} ms"


def _hz(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}/s"


def _handshake(shot: Snapshot) -> str:
    return f"latest handshake {_ms(shot.handshake_ms)}"


def _flow(rate: float | None, sender: dict[str, Any], receiver: dict[str, Any]) -> str:
    sent = sender.get("sent", {}).get("datagrams", 0)
    received = receiver.get("received", {}).get("datagrams", 0)
    corrupted = receiver.get("received", {}).get("corrupted", 0)
    return f"{_hz(rate):>9}   {sent:,} sent   {received:,} received   {corrupted:,} corrupted"


def _drops(dropped: dict[str, int]) -> str:
    return "   ".join(f"{name} {count}" for name, count in dropped.items()) or "nothing"


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
