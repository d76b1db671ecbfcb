# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a drone reports: the state of its computer, and the decisions of its policy."""

from __future__ import annotations

import math
import struct
from copy import deepcopy
from typing import Any

from pqc_msgs.msg import (
    ComputerLoad,
    DroneComputer,
    DroneDecision,
    PolicyDecision,
    PowerReading,
    ThermalReading,
)
from pqc_policy.messages import names
from pqc_policy.messages.content import (
    Kind,
    Message,
    from_steps,
    name_bytes,
    take_name,
    to_steps,
)
from pqc_policy.policy.decision import Action

FRESH_S = 3.0
REPEATED_S = 10.0

_COMPUTER = struct.Struct(">BBBHhH")
_DECISION = struct.Struct(">BB5s5sBHHHBhB")
_REASONS = struct.Struct(">BBBBB")
_SHARE, _MILLISECOND, _TENTH, _HUNDREDTH, _MEGAHERTZ = 0.005, 0.001, 0.1, 0.01, 1e6
# The numbers of a decision: their fields in DroneDecision, step and format.
_NUMBERS = (
    ("link_loss", _SHARE, "B"),
    ("link_rtt_s", _MILLISECOND, "H"),
    ("link_gap_p95_s", _MILLISECOND, "H"),
    ("battery_voltage_v", _HUNDREDTH, "H"),
    ("battery_charge", _SHARE, "B"),
    ("temperature_c", _TENTH, "h"),
)
# Each number of the computer comes from a field of a message, and has a field in DroneComputer.
_READINGS = (
    (ComputerLoad, "load", _SHARE, "B"),
    (ComputerLoad, "memory", _SHARE, "B"),
    (ComputerLoad, "frequency_hz", _MEGAHERTZ, "H"),
    (ThermalReading, "temperature_c", _TENTH, "h"),
    (PowerReading, "power_w", _HUNDREDTH, "H"),
)
_NOTHING = _COMPUTER.pack(0xFF, 0xFF, 0, 0xFFFF, -0x8000, 0xFFFF)
_RATCHET, _ARMED_KNOWN, _ARMED, _ADVICE, _HELD = 0x01, 0x02, 0x04, 0x08, 0x10
_NO_VERDICT = 0xFF
_HIGHEST_THROTTLED = 2


class ComputerReadings:
    """The newest readings of the drone's computer; one that is no longer fresh is unknown."""

    def __init__(self) -> None:
        self._newest: dict[type, tuple[float, Any]] = {}

    def take(self, reading: ComputerLoad | ThermalReading | PowerReading, now_s: float) -> None:
        self._newest[type(reading)] = now_s, reading

    def report(self, now_s: float) -> Message | None:
        """Return the report; None if nothing is known."""
        throttled = self._value(ComputerLoad, "throttled", now_s)
        load, memory, *others = (
            to_steps(self._value(kind, name, now_s), step, number)
            for kind, name, step, number in _READINGS
        )
        known = throttled <= _HIGHEST_THROTTLED
        content = _COMPUTER.pack(load, memory, int(throttled) if known else 0, *others)
        return None if content == _NOTHING else Message(Kind.COMPUTER, content)

    def _value(self, kind: type, name: str, now_s: float) -> float:
        at_s, reading = self._newest.get(kind, (-math.inf, None))
        return float(getattr(reading, name)) if now_s - at_s <= FRESH_S else math.nan


def read_computer(content: bytes) -> DroneComputer | None:
    if len(content) < _COMPUTER.size:
        return None
    load, memory, throttled, *others = _COMPUTER.unpack_from(content)
    if throttled > _HIGHEST_THROTTLED:
        return None
    values = {
        name: from_steps(steps, step, number)
        for steps, (_, name, step, number) in zip((load, memory, *others), _READINGS, strict=True)
    }
    return DroneComputer(throttled=throttled, **values)


def changes_suite(decision: PolicyDecision) -> bool:
    """Return whether the tunnel is asked for another suite that is to stay; a layer's is not."""
    return bool(
        decision.to_suite
        and decision.asked
        and decision.to_suite != decision.from_suite
        and decision.action != Action.LAYER
    )


def decision_report(decision: PolicyDecision) -> Message:
    """Return the report of a decision, with the inputs that were fresh."""
    inputs = decision.inputs
    flags = _RATCHET if decision.ratchet else 0
    if 0 <= inputs.armed_age_s <= FRESH_S:
        flags |= _ARMED_KNOWN | (_ARMED if inputs.armed else 0)
    flags |= _ADVICE if decision.to_suite and not decision.asked else 0
    held = names.suite_code(inputs.held_suite)
    flags |= _HELD if held != names.NO_SUITE else 0
    values = (
        _known(inputs.link_loss, inputs.link_age_s),
        _known(inputs.link_rtt_s, inputs.link_age_s),
        _known(inputs.link_gap_p95_s, inputs.link_age_s),
        _known(inputs.battery_voltage_v, inputs.battery_age_s),
        _known(inputs.battery_charge, inputs.battery_age_s),
        _known(inputs.thermal_temperature_c, inputs.thermal_age_s),
    )
    judged = inputs.advisor_age_s <= FRESH_S and inputs.advisor_verdict in names.VERDICTS
    phase = inputs.phase if 0 <= inputs.phase_age_s <= FRESH_S else ""
    action = names.code_of(names.ACTIONS, decision.action)
    content = _DECISION.pack(
        action if action <= len(names.ACTIONS) else 0,
        flags,
        names.suite_code(decision.from_suite),
        names.suite_code(decision.to_suite),
        *(to_steps(v, step, of) for v, (_, step, of) in zip(values, _NUMBERS, strict=True)),
        names.VERDICTS.index(inputs.advisor_verdict) if judged else _NO_VERDICT,
    )
    content += name_bytes(decision.rule) + name_bytes(decision.strategy)
    content += _REASONS.pack(
        names.code_of(names.HOLDS, decision.hold),
        names.code_of(names.PHASES, phase),
        names.code_of(names.ATTACKS, inputs.advisor_class if judged else ""),
        names.bits_of(decision.missing),
        names.code_of(names.CUES, names.cue_of(decision.cue_id, decision.cue)),
    )
    return Message(Kind.DECISION, content + (held if flags & _HELD else b""))


def read_decision(content: bytes) -> DroneDecision | None:
    """Return the report of a decision; an earlier version ends after the strategy."""
    if len(content) < _DECISION.size:
        return None
    action, flags, from_code, to_code, *steps, verdict = _DECISION.unpack_from(content)
    named = take_name(content[_DECISION.size :])
    also_named = take_name(named[1]) if named is not None else None
    if named is None or also_named is None:
        return None
    reasons = also_named[1]
    to_suite = names.suite_id(to_code)
    message = DroneDecision(
        strategy=also_named[0],
        action=names.ACTIONS[action - 1] if 0 < action <= len(names.ACTIONS) else "",
        rule=named[0],
        from_suite=names.suite_id(from_code),
        to_suite=to_suite,
        asked=bool(to_suite) and not flags & _ADVICE,
        ratchet=bool(flags & _RATCHET),
        armed_known=bool(flags & _ARMED_KNOWN),
        armed=flags & (_ARMED_KNOWN | _ARMED) == _ARMED_KNOWN | _ARMED,
        advisor_verdict=names.VERDICTS[verdict] if verdict < len(names.VERDICTS) else "",
        **{n: from_steps(v, step, of) for v, (n, step, of) in zip(steps, _NUMBERS, strict=True)},
    )
    return message if not reasons or _add_reasons(message, reasons, flags) else None


def _add_reasons(message: DroneDecision, content: bytes, flags: int) -> bool:
    held = content[_REASONS.size : _REASONS.size + len(names.NO_SUITE)]
    if len(content) < _REASONS.size or (flags & _HELD and len(held) < len(names.NO_SUITE)):
        return False
    hold, phase, attack, missing, cue = _REASONS.unpack_from(content)
    message.hold = names.name_of(names.HOLDS, hold)
    message.phase = names.name_of(names.PHASES, phase)
    message.attack_class = names.name_of(names.ATTACKS, attack)
    message.missing = names.inputs_of(missing)
    message.cue_id = names.name_of(names.CUES, cue)
    message.cue = names.cue_line(message.cue_id)
    message.held_suite = names.suite_id(held) if flags & _HELD else ""
    return True


class DecisionRepeater:
    """Tells the decisions to wait that follow a change of the suite as that change.

    The report of the change may get lost, and on a thin link a newer one may replace it. Inputs are
    always the newest. The repetition ends after a time, when the suite in use changes, and when the
    policy decides for something else.
    """

    def __init__(self) -> None:
        self._change: PolicyDecision | None = None
        self._until_s = 0.0

    def told(self, decision: PolicyDecision, now_s: float) -> PolicyDecision:
        """Return what to tell of a decision; to be called for each."""
        if decision.action != PolicyDecision.HOLD:
            self._change = decision if changes_suite(decision) else None
            self._until_s = now_s + REPEATED_S
            return decision
        change = self._change
        if change is None or now_s >= self._until_s or decision.from_suite != change.from_suite:
            self._change = None
            return decision
        told = deepcopy(decision)
        for field in ("action", "ratchet", "rule", "to_suite", "asked", "hold"):
            setattr(told, field, getattr(change, field))
        return told


def _known(value: float, age_s: float) -> float:
    """Return an input that is fresh, else NaN; an age below 0 says that it never came."""
    return value if 0 <= age_s <= FRESH_S else math.nan
