# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of a demonstration, and whether it is what it should be."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor

from pqc_sim.datagrams.counting import FlowReport, compare
from pqc_sim.demo.demo_flights import FLIGHTS
from pqc_sim.demo.live_view import Layer
from pqc_sim.pair.link_emulator import NO_LINK

_NOTHING = {"datagrams": 0, "corrupted": 0, "duplicated": 0, "reordered": 0, "digest": "0" * 16}
_DIRECTIONS = {"drone_to_gcs": "drone to ground", "gcs_to_drone": "ground to drone"}
# A vehicle that is higher flies.
_AIRBORNE_M = 1.0
# Over a good link the vehicle flies by then; a shorter flight may end on the ground.
TAKE_OFF_S = 15.0
_STEPS = {
    "starting": "MAVProxy was still starting",
    "waiting": "MAVProxy saw no vehicle",
    "downloading": "MAVProxy was still downloading the parameters",
    "uploading": "MAVProxy was still uploading the mission",
    "taking off": "MAVProxy was still waiting for the take-off",
}
# The link emulator's counts of datagrams that it dropped, or damaged: the tunnel drops those.
_TAKEN = (
    "lost",
    "lost_in_outage",
    "queue_dropped",
    "oversize",
    "taken",
    "corrupted",
    "in_flight",
    "unsent",
)


@dataclass(frozen=True)
class LinkOutcome:
    """One of several links at the end: its state, and the counts of its emulator by direction.

    The counts are of datagrams, on a serial link of the packets of the radio.
    """

    name: str
    type: str
    state: str
    counts: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, the counts of both directions together."""
        ways = [self.counts.get(name, {}) for name in _DIRECTIONS]
        return {
            "name": self.name,
            "type": self.type,
            "state": self.state,
            "sent": sum(way.get("in", 0) for way in ways),
            "received": sum(way.get("out", 0) - way.get("corrupted", 0) for way in ways),
            "lost": sum(way.get(cause, 0) for way in ways for cause in _TAKEN),
        }


@dataclass(frozen=True)
class CutOutcome:
    """The events while one of several links was cut."""

    link: str
    parameters: int | None  # that MAVProxy downloaded meanwhile; None: not all
    carried: int  # packets that the other links delivered meanwhile


@dataclass(frozen=True)
class Outcome:
    """The observations of a run, for judgement and summary."""

    seconds: float
    suite: str
    epoch: int
    handshake_ms: float | None
    rekeys: int
    rekey_expected: bool
    vehicle: dict[str, Any]
    tap: dict[str, Any]
    ground: dict[str, Any]
    link: str = NO_LINK
    link_counts: dict[str, Any] = field(default_factory=dict)
    links: tuple[LinkOutcome, ...] = ()  # the emulated ones
    cut: CutOutcome | None = None  # None: no link was cut and restored
    left_out: dict[str, int] = field(default_factory=dict)  # by the tunnel, on thin links
    rtt_ms: float | None = None
    dropped: dict[str, int] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()  # that the last keys depended on
    flight: str = ""
    decisions: tuple[dict[str, Any], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def lossy(self) -> bool:
        """Return whether datagrams may be lost outside of the tunnel: on a link, or by a crash."""
        return self.link != NO_LINK or self.shaped or self.crashed

    @property
    def shaped(self) -> bool:
        """Tell whether the tunnel had several links, or a thin one with shaping."""
        return bool(self.links) and self.link == NO_LINK

    @property
    def crashed(self) -> bool:
        """Return whether the drone's tunnel crashes in the flight."""
        return bool(self.flight) and FLIGHTS[self.flight].crash_at_s is not None

    @property
    def copter(self) -> dict[str, Any]:
        """The vehicle's last state; empty if it has not been switched on."""
        state: dict[str, Any] = self.vehicle.get("vehicle", {})
        return state

    @property
    def flew(self) -> bool:
        return took_off(self.vehicle)

    @property
    def flows(self) -> dict[str, FlowReport]:
        def flow(sender: dict[str, Any], receiver: dict[str, Any]) -> FlowReport:
            return compare(
                sender.get("sent", _NOTHING),
                receiver.get("received", _NOTHING),
                lossy=self.lossy,
            )

        return {
            "drone_to_gcs": flow(self.vehicle, self.tap),
            "gcs_to_drone": flow(self.tap, self.vehicle),
        }

    def left_out_of(self, direction: str) -> int:
        """Return how many of the lost datagrams of a direction the tunnel has left out."""
        return min(self.left_out.get(direction, 0), self.flows[direction].lost)

    def lost_by_sequence(self, direction: str) -> int:
        """Return the loss of a direction as its receiver counts it, by MAVLink's own rule."""
        receiver = self.tap if direction == "drone_to_gcs" else self.vehicle
        count: int = receiver.get("received", {}).get("lost_by_sequence", 0)
        return count


def took_off(vehicle: dict[str, Any]) -> bool:
    return bool(vehicle.get("vehicle", {}).get("highest_m", 0.0) >= _AIRBORNE_M)


def _link_counts(outcome: Outcome, direction: str) -> dict[str, Any]:
    """Return the counts of the link emulator for all that the tunnels sent in a direction."""
    counts: dict[str, Any] = outcome.link_counts.get("udp", {}).get(direction, {})
    return counts


def _taken(outcome: Outcome, direction: str) -> dict[str, int]:
    """Return how many datagrams the link took in a direction, by cause, without zeros."""
    counts = _link_counts(outcome, direction)
    return {cause: counts[cause] for cause in _TAKEN if counts.get(cause)}


def judge(outcome: Outcome) -> list[str]:
    """Return the faults of a run, one sentence each; empty for a good run."""
    faults = list(outcome.faults)
    for name, flow in outcome.flows.items():
        way = _DIRECTIONS[name]
        if flow.received == 0:
            # After an earlier fault this is only a consequence.
            if not outcome.faults:
                faults.append(f"no MAVLink arrived from {way}")
            continue
        faults += _judge_loss(outcome, name, flow)
        if flow.corrupted > 0:
            faults.append(f"{flow.corrupted} datagrams were altered from {way}")
        if flow.duplicated > 0:
            faults.append(f"{flow.duplicated} datagrams came twice from {way}")
    if outcome.rekey_expected and outcome.rekeys < 1:
        faults.append("the rekey midway didn't happen")
    grounded = bool(outcome.copter) and not outcome.flew and not outcome.faults
    if grounded and outcome.seconds >= TAKE_OFF_S:
        faults.append(_not_flown(outcome))
    # A ground program may give up over a bad link, which is no fault of the tunnel.
    elif outcome.ground.get("fault") and not _link_took_something(outcome):
        fault = str(outcome.ground["fault"])
        faults += [] if any(fault in one for one in faults) else [fault]
    faults += _judge_cut(outcome)
    for name, end in (("vehicle", outcome.vehicle), ("ground tap", outcome.tap)):
        if end.get("kernel_drops"):
            faults.append(f"the {name}'s own socket dropped {end['kernel_drops']} datagrams")
    if drops := sum(_link_counts(outcome, name).get("kernel_drops", 0) for name in _DIRECTIONS):
        faults.append(f"the link emulator's own sockets dropped {drops} datagrams")
    return faults


def _judge_cut(outcome: Outcome) -> list[str]:
    cut = outcome.cut
    if cut is None:
        return []
    faults = []
    if cut.parameters is None or cut.parameters != outcome.ground.get("parameters"):
        faults.append(f"MAVProxy could not download the parameters while {cut.link} was cut")
    if lost := outcome.ground.get("links_lost"):
        faults.append(f"MAVProxy lost its link to the vehicle ({lost} times)")
    if cut.carried == 0:
        faults.append(f"no other link carried anything while {cut.link} was cut")
    return faults


def _not_flown(outcome: Outcome) -> str:
    armed = outcome.copter.get("armed_once", False)
    missing = "armed but did not take off" if armed else "never armed"
    step = outcome.ground.get("step", "starting")
    why = outcome.ground.get("fault") or _STEPS.get(step, f"MAVProxy was {step}")
    return f"the vehicle {missing} within {outcome.seconds:.0f} s: {why}{_link_loss(outcome)}"


def _link_loss(outcome: Outcome) -> str:
    """Return the share of the datagrams that the link took, as the end of a sentence."""
    share = _share_lost(outcome)
    return f"; the link took {share:.1f} %" if _link_took_something(outcome) else ""


def _share_lost(outcome: Outcome) -> float:
    """Return how much of the MAVLink was lost, in percent."""
    flows = outcome.flows.values()
    return 100.0 * sum(flow.lost for flow in flows) / max(1, sum(flow.sent for flow in flows))


def _link_took_something(outcome: Outcome) -> bool:
    return any(_taken(outcome, name) for name in _DIRECTIONS)


def _judge_loss(outcome: Outcome, name: str, flow: FlowReport) -> list[str]:
    """Return a fault if more was lost than the link took.

    A crash excuses any loss. Over several links or a thin one the counts don't compare: the tunnel
    leaves out what newer telemetry has replaced, and a frame carries several datagrams.
    """
    if outcome.crashed or outcome.shaped:
        return []
    by_link = sum(_taken(outcome, name).values())
    if flow.lost <= by_link:
        return []
    fault = f"{flow.lost} of {flow.sent} datagrams got lost from {_DIRECTIONS[name]}"
    return [f"{fault}, but the link took only {by_link}" if outcome.link != NO_LINK else fault]


def as_json(outcome: Outcome, faults: list[str]) -> dict[str, Any]:
    """Return the summary of the run as plain data."""
    return {
        "ok": not faults,
        "faults": faults,
        "seconds": round(outcome.seconds, 3),
        "suite": outcome.suite,
        "epoch": outcome.epoch,
        "handshake_ms": _rounded(outcome.handshake_ms),
        "rekeys": outcome.rekeys,
        "layers": [asdict(layer) for layer in outcome.layers],
        "rtt_ms": _rounded(outcome.rtt_ms),
        # `lost` includes what was left out.
        "mavlink": {
            name: {
                **flow.as_dict(),
                "left_out": outcome.left_out_of(name),
                "lost_by_sequence": outcome.lost_by_sequence(name),
            }
            for name, flow in outcome.flows.items()
        },
        "dropped": outcome.dropped,
        "link": _link_as_json(outcome),
        "links": [link.as_dict() for link in outcome.links],  # empty: none is emulated
        "cut": None if outcome.cut is None else asdict(outcome.cut),
        "flight": outcome.flight or None,
        "decisions": [{**line, "t": round(line["t"], 3)} for line in outcome.decisions],
        "vehicle": {
            "armed": outcome.copter.get("armed_once", False),
            "took_off": outcome.flew,
            "mission_item": outcome.copter.get("mission_current"),
        },
        "ground_program": {
            "parameters": outcome.ground.get("parameters"),
            "mission_items": outcome.ground.get("mission_items"),
            "links_lost": outcome.ground.get("links_lost", 0),
            "fault": outcome.ground.get("fault"),
        },
    }


def as_text(outcome: Outcome, faults: list[str]) -> list[str]:
    lines = [""]
    if any(flow.sent for flow in outcome.flows.values()):
        lines += _flight_as_text(outcome)
    lines += [f"  failed: {fault}" for fault in faults]
    if not faults:
        text = "MAVLink went both ways through the tunnel"
        flows = outcome.flows.values()
        sent, lost = sum(flow.sent for flow in flows), sum(flow.lost for flow in flows)
        if not lost:
            lines.append(f"  All {text}, whole and unaltered.")
        elif outcome.shaped:
            left_out = sum(outcome.left_out_of(name) for name in outcome.flows)
            lines.append(
                f"  {text}, unaltered: {_share(lost - left_out, sent)} were lost on the links; the "
                f"tunnel left out {_share(left_out, sent)}, for newer ones or too old for a link "
                "that is too thin."
            )
        else:
            taken = _share(lost, sent)
            lines.append(f"  {text}, unaltered: {_taker(outcome)} took {taken}, the tunnel 0.")
        if not outcome.flew:
            lines.append(f"  The flight of {outcome.seconds:.0f} s was too short for the take-off.")
    return lines + _below_the_floor(outcome)


def _below_the_floor(outcome: Outcome) -> list[str]:
    """Say which suites the policy chose that the tunnel's shipped parameters forbid."""
    floor = TunnelFloor().min_level
    chosen = {decision["to"] for decision in outcome.decisions if decision["to"]}
    below = sorted(
        name for name in chosen if (suite := find_suite(name)) is not None and suite.level < floor
    )
    if not below:
        return []
    return [
        f"  The policy chose {', '.join(below)}, below level {floor}: the demo sets min_level to",
        f"  1, the shipped parameters of a tunnel allow level {floor} and above.",
    ]


def _share(count: int, total: int) -> str:
    return f"{100.0 * count / max(1, total):.1f} % ({count:,} datagrams)"


def _taker(outcome: Outcome) -> str:
    return "the crash" if outcome.crashed else "the link"


def _link_as_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "profile": outcome.link,
        "taken": {name: _taken(outcome, name) for name in _DIRECTIONS}
        if outcome.link != NO_LINK
        else {},
    }


def _link_as_text(outcome: Outcome, name: str) -> str:
    causes = _taken(outcome, name)
    spelt = ", ".join(f"{cause.replace('_', ' ')} {count:,}" for cause, count in causes.items())
    return (
        f"  link, {name.replace('_', ' ')}: {sum(causes.values()):,} of "
        f"{_link_counts(outcome, name).get('in', 0):,} taken" + (f" ({spelt})" if spelt else "")
    )


def _flight_as_text(outcome: Outcome) -> list[str]:
    lines = [f"  flight          {outcome.seconds:.1f} s"]
    if outcome.suite:
        count = "1 rekey" if outcome.rekeys == 1 else f"{outcome.rekeys} rekeys"
        lines.append(f"  suite           {outcome.suite}, epoch {outcome.epoch} after {count}")
    if outcome.handshake_ms is not None:
        lines.append(
            f"  first handshake {outcome.handshake_ms:.1f} ms, from the hello that was answered"
        )
    for name, flow in outcome.flows.items():
        same = "; identical byte for byte" if flow.identical and flow.sent else ""
        left_out = outcome.left_out_of(name)
        apart = f", {left_out:,} left out" if outcome.shaped else ""
        lines.append(
            f"  {_DIRECTIONS[name]:<15} {flow.sent:,} sent, {flow.received:,} received, "
            f"{flow.lost - left_out:,} lost{_percent(flow.lost - left_out, flow.sent)}{apart}, "
            f"{flow.corrupted:,} corrupted{same}"
        )
    counted = outcome.lost_by_sequence("drone_to_gcs")
    lines.append(f"  ground's count  {counted:,} lost by the sequence numbers of MAVLink")
    if outcome.link != NO_LINK:
        lines.append(f"  link            {outcome.link}")
        lines += [_link_as_text(outcome, name) for name in _DIRECTIONS]
    for link in (one.as_dict() for one in outcome.links if outcome.shaped):
        lines.append(
            f"  {'link ' + link['name']:<15} {link['type']}, {link['state']}; {link['sent']:,} "
            f"packets sent, {link['received']:,} received, {link['lost']:,} lost"
        )
    if cut := outcome.cut:
        lines.append(
            f"  {cut.link + ' cut':<15} the others delivered {cut.carried:,} packets meanwhile; "
            f"MAVProxy downloaded {cut.parameters or 'no'} parameters again"
        )
    parameters, items = outcome.ground.get("parameters"), outcome.ground.get("mission_items")
    if parameters is not None:
        mission = f", uploaded a mission of {items} items" if items is not None else ""
        lines.append(f"  MAVProxy        downloaded {parameters} parameters{mission}")
    if outcome.ground.get("fault"):
        lines.append(f"  MAVProxy        gave up: {outcome.ground['fault']}")
    lines += _vehicle_as_text(outcome)
    lines += [_decision_as_text(decision) for decision in outcome.decisions]
    if outcome.dropped:
        drops = ", ".join(f"{reason} {count}" for reason, count in outcome.dropped.items())
        lines.append(f"  dropped         {drops}")
    lines.append("")
    return lines


def _percent(lost: int, sent: int) -> str:
    return f" ({100.0 * lost / sent:.1f} %)" if lost else ""


def _vehicle_as_text(outcome: Outcome) -> list[str]:
    copter = outcome.copter
    if not copter or not outcome.flew:
        return []
    last = copter["mission_items"] - 1
    item = min(copter["mission_current"], last)
    end = "was still in the air when the demo ended" if copter["armed"] else "landed"
    return [
        f"  vehicle         flew up to {copter['highest_m']:.0f} m, item {item} of {last} of the "
        f"mission, and {end}"
    ]


def _decision_as_text(decision: dict[str, Any]) -> str:
    to = f" to {decision['to']}" if decision["to"] else ""
    return f"  {decision['t']:5.0f} s  {decision['action']:<17}{to.strip()}  {decision['reason']}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
