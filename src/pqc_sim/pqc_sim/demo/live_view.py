# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The live view: a screen on a terminal, one line at a time elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_LABEL = 8  # columns
_LINES_PER_ROW = 2
_FEWEST_EVENTS = 3
_SPACED_HEIGHT = 20  # lines; a smaller view has no blank ones
_GOOD, _BAD = "green", "yellow"


@dataclass(frozen=True)
class Layer:
    """A secret that the keys depend on, as pqc_msgs/Layer has it."""

    family: str
    form: str
    kem: str
    key: str


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
    likely_cause: str = ""  # cause of a state that is not up
    protection: str = ""  # families of the layers
    anchor: str = ""  # kind of its key
    layers: tuple[Layer, ...] = ()
    fetches: dict[str, float] = field(default_factory=dict)  # KEM and share, 0 to 1


@dataclass(frozen=True)
class Flow:
    """The MAVLink datagrams of one direction."""

    name: str
    rate_hz: float | None = None
    sent: int = 0
    received: int = 0
    lost: int = 0
    corrupted: int = 0

    @property
    def loss(self) -> str:
        """The share that was lost, in percent."""
        total = self.received + self.lost
        return f"{100.0 * self.lost / total:.2f} %" if total else "-"


@dataclass(frozen=True)
class LinkState:
    """One link, as both ends receive it; the losses are from 0 to 1, over the last seconds."""

    name: str  # the emulated link; empty: none
    rtt_ms: float | None = None
    jitter_ms: float | None = None
    loss_to_ground: float | None = None
    loss_to_drone: float | None = None


@dataclass(frozen=True)
class PathState:
    """One of several links, as the drone's tunnel reports it; frames count since its start."""

    name: str
    state: str  # up, down or probing
    carries: bool  # data, lately
    rtt_ms: float | None
    frames_out: int
    frames_in: int


@dataclass(frozen=True)
class PolicyState:
    strategy: str
    action: str
    rule: str
    to_suite: str
    reason: str
    hold_reason: str = ""


class Event(NamedTuple):
    """An event, with the time of day at which it arrived."""

    time: str
    text: str


@dataclass(frozen=True)
class Snapshot:
    """The values to show at one moment; None and empty values appear as a dash."""

    phase: str
    elapsed_s: float
    total_s: float
    domain: str = ""  # the ROS domain
    drone: TunnelEnd | None = None
    flows: tuple[Flow, ...] = ()
    links: tuple[LinkState, ...] = ()
    paths: tuple[PathState, ...] = ()  # if the tunnel has several links
    subject: tuple[str, str] | None = None  # name and value of the flight's subject
    policy: PolicyState | None = None
    next_suite: str = ""  # that the rekey key asks for; empty: the same suite
    dropped: dict[str, int] = field(default_factory=dict)
    vehicle: dict[str, Any] = field(default_factory=dict)
    ground: dict[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    @property
    def end(self) -> TunnelEnd:
        """The drone's end of the tunnel, without values before its first status."""
        return self.drone or TunnelEnd("", False, "", 0, 0, 0, None)


class View:
    """A snapshot as a renderable of rich, with as many lines as the console has."""

    def __init__(self, shot: Snapshot) -> None:
        self._shot = shot

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines that have room, the most important first; events get the rest."""
        room = (options.height or console.height) - 1  # the last line is the footer
        lines = list(self._lines(console, options.max_width, spaced=room >= _SPACED_HEIGHT))
        fewest = min(len(self._shot.events), _FEWEST_EVENTS, room // 3)
        lines = lines[: room - fewest]
        events = self._shot.events[-(room - len(lines)) :] if room > len(lines) else ()
        lines += [Text.assemble((event.time, "dim"), "  ", event.text) for event in events]
        lines += [Text()] * (room - len(lines))
        for line in (*lines, self._footer()):
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line

    def _lines(self, console: Console, width: int, *, spaced: bool) -> Iterator[Text]:
        shot = self._shot
        domain = f"ROS_DOMAIN_ID={shot.domain}" if shot.domain else ""
        title = f"   {shot.phase}   {_length(shot)}   "
        yield Text.assemble(("PQC-MAV demo", "bold"), title, (domain, "dim"))
        if spaced:
            yield Text()
        yield from _flow_table(shot.flows, width)
        for name, text in self._rows():
            for number, part in enumerate(text.wrap(console, max(20, width - _LABEL - 2))):
                if number < _LINES_PER_ROW:
                    label = "" if number else name
                    yield Text.assemble("  ", (f"{label:<{_LABEL}}", "dim"), part)
        if spaced:
            yield Text()

    def _rows(self) -> Iterator[tuple[str, Text]]:
        shot, end = self._shot, self._shot.end
        state = (end.state or "not started", _GOOD if end.up else _BAD)
        level = f"   level {end.level}" if end.level else ""
        yield "tunnel", Text.assemble(state, f"   {end.suite or '-'}{level}")
        if end.likely_cause:
            yield "cause", Text(end.likely_cause, _BAD)
        handshake = f"latest handshake {_ms(end.handshake_ms)}"
        yield "keys", Text(f"epoch {end.epoch}   rekeys {end.rekeys}   {handshake}")
        yield "layers", Text(_layers(end))
        for link in shot.links:
            yield "link", Text(_link(link))
        for path in shot.paths:
            yield "", _path(path)
        if shot.subject is not None:
            yield shot.subject[0], Text(shot.subject[1], "bold")
        if shot.policy is not None:
            changes = "bold" if shot.policy.to_suite else ""
            yield (
                "policy",
                Text.assemble(f"{shot.policy.strategy}   ", (_decision(shot.policy), changes)),
            )
            yield "", Text(shot.policy.reason)
            if shot.policy.hold_reason:
                yield "held", Text(shot.policy.hold_reason, _BAD)
        dropped = "   ".join(f"{name} {count}" for name, count in shot.dropped.items())
        yield "dropped", Text(dropped or "nothing")
        yield "vehicle", Text(_vehicle(shot.vehicle.get("vehicle", {})))
        yield "ground", Text(_ground(shot.ground))

    def _footer(self) -> Text:
        to = f"to {self._shot.next_suite}" if self._shot.next_suite else "the same suite"
        return Text.assemble(("q", "bold"), " end the flight   ", ("r", "bold"), f" rekey {to}")


def render_line(shot: Snapshot) -> str:
    end = shot.end
    parts = [
        _length(shot),
        shot.phase,
        end.state or "no tunnel",
        f"{end.suite or '-'} epoch {end.epoch}",
        *([_layers(end)] if end.layers else []),
        *(f"{flow.name} {_hz(flow.rate_hz)} loss {flow.loss}" for flow in shot.flows),
        *(f"round trip {_ms(link.rtt_ms)}" for link in shot.links),
        *(f"{path.name} {path.state}" for path in shot.paths),
        f"dropped {sum(shot.dropped.values())}",
        *(["{} {}".format(*shot.subject)] if shot.subject else []),
        *([f"{shot.policy.strategy} {_decision(shot.policy)}"] if shot.policy else []),
        *([end.likely_cause] if end.likely_cause else []),
    ]
    return "  ".join(parts)


def _flow_table(flows: tuple[Flow, ...], width: int) -> list[Text]:
    """Return a line for each direction below a heading, with the columns that have room."""
    columns = {
        "rate": [_hz(flow.rate_hz) for flow in flows],
        "sent": [f"{flow.sent:,}" for flow in flows],
        "received": [f"{flow.received:,}" for flow in flows],
        "lost": [f"{flow.lost:,}" for flow in flows],
        "loss": [flow.loss for flow in flows],
        "corrupted": [f"{flow.corrupted:,}" for flow in flows],
    }
    room = (width - 18) // 10
    for name in ("sent", "received", "lost", "corrupted", "rate")[: max(0, len(columns) - room)]:
        del columns[name]
    heading = " " * 18 + "".join(f"{name:>10}" for name in columns)
    lines = [
        f"  {flow.name:<16}" + "".join(f"{column[number]:>10}" for column in columns.values())
        for number, flow in enumerate(flows)
    ]
    return [Text(heading, "dim"), *(Text(line) for line in lines)]


def _length(shot: Snapshot) -> str:
    return f"{shot.elapsed_s:.0f} s of {shot.total_s:g} s"


def _decision(policy: PolicyState) -> str:
    to = f" to {policy.to_suite}" if policy.to_suite else ""
    return f"{policy.action}{to} (rule {policy.rule})"


def _layers(end: TunnelEnd) -> str:
    """Return what protects the data: families, anchor, KEMs, and keys that are being fetched."""
    parts = [
        end.protection,
        f"anchor {end.anchor}" if end.anchor else "",
        ", ".join(dict.fromkeys(one.kem for one in end.layers)),
        *(f"fetches {kem} {share:.0%}" for kem, share in end.fetches.items()),
    ]
    return "   ".join(filter(None, parts)).replace("_", "-") or "-"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.{2 if value < 10.0 else 1}f} ms"


def _hz(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}/s"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100.0 * value:.1f} %"


def _link(link: LinkState) -> str:
    name = f"{link.name}   " if link.name else ""
    return (
        f"{name}round trip {_ms(link.rtt_ms)}, jitter {_ms(link.jitter_ms)}, "
        f"loss {_percent(link.loss_to_ground)} → ground, {_percent(link.loss_to_drone)} → drone"
    )


def _path(path: PathState) -> Text:
    color = _GOOD if path.state == "up" else _BAD
    use = "carries the traffic" if path.carries else "stands by"
    return Text.assemble(
        f"{path.name:<10}",
        (f"{path.state:<9}", color),
        f"{use:<21}round trip {_ms(path.rtt_ms)}, {path.frames_out:,} frames out, "
        f"{path.frames_in:,} in",
    )


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
