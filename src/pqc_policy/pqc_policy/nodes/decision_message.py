# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turns a decision and its inputs into a message."""

from __future__ import annotations

from math import nan

from builtin_interfaces.msg import Time

from pqc_msgs.msg import PolicyDecision, PolicyInputs
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Battery, Computer, DecisionInput, Link, Reading, Thermal
from pqc_policy.policy.telemetry import NANOSECONDS

_NEVER = -1.0


def decision_message(decision: Decision, at_ns: int) -> PolicyDecision:
    """Return the message of a decision for the whole second `at_ns`."""
    return PolicyDecision(
        stamp=Time(sec=at_ns // NANOSECONDS, nanosec=at_ns % NANOSECONDS),
        strategy=decision.strategy,
        action=decision.action.value,
        rule=decision.rule,
        event=decision.event,
        hold=decision.hold_reason.kind if decision.hold_reason is not None else "",
        from_suite=decision.from_suite or "",
        to_suite=decision.to_suite or "",
        asked=decision.asked,
        ratchet=decision.ratchet,
        reason=decision.reason,
        blacklisted=list(decision.blacklisted),
        removed_by=[removal.rule for removal in decision.removed],
        removed=[removal.count for removal in decision.removed],
        missing=list(decision.missing),
        inactive=list(decision.inactive),
        cue=decision.cue,
        cue_id=decision.cue_id,
        inputs=inputs_message(decision.inputs),
    )


def _age(reading: Reading[object]) -> float:
    return _NEVER if reading.value is None else reading.age_s


def _or_nan(value: float | None) -> float:
    return nan if value is None else float(value)


def inputs_message(inputs: DecisionInput) -> PolicyInputs:
    """Return the message of the inputs of a decision."""
    link = inputs.link.value or Link(None)
    battery = inputs.battery.value or Battery(None)
    thermal = inputs.thermal.value or Thermal(None)
    computer = inputs.computer.value or Computer(None)
    message = PolicyInputs(
        link_age_s=_age(inputs.link),
        link_gap_p95_s=_or_nan(link.gap_p95_s),
        link_packets_per_s=_or_nan(link.packets_per_s),
        link_longest_silence_s=_or_nan(link.longest_silence_s),
        link_jitter_s=_or_nan(link.jitter_s),
        link_blackouts=-1 if link.blackouts is None else link.blackouts,
        link_loss=_or_nan(link.loss),
        link_rtt_s=_or_nan(link.rtt_s),
        link_rate_bytes_s=_or_nan(link.rate_bytes_s),
        link_rate_source=link.rate_source,
        battery_age_s=_age(inputs.battery),
        battery_voltage_v=_or_nan(battery.voltage_v),
        battery_cells=battery.cells,
        battery_rate_mv_per_min=_or_nan(battery.rate_mv_per_min),
        battery_charge=_or_nan(battery.charge),
        battery_endurance_s=_or_nan(battery.endurance_s),
        thermal_age_s=_age(inputs.thermal),
        thermal_temperature_c=_or_nan(thermal.temperature_c),
        thermal_rate_c_per_min=_or_nan(thermal.rate_c_per_min),
        power_age_s=_age(inputs.power_w),
        power_w=_or_nan(inputs.power_w.value),
        armed_age_s=_age(inputs.armed),
        armed=bool(inputs.armed.value),
        advisor_age_s=_age(inputs.advisor),
        advisor_verdict=inputs.advisor.value.value if inputs.advisor.value is not None else "",
        advisor_class=inputs.attack_class.value or "",
        session_age_s=_age(inputs.session),
        session_key_age_s=nan,
        session_handshake_s=nan,
        session_work_s=nan,
        phase_age_s=_age(inputs.phase),
        phase=inputs.phase.value.value if inputs.phase.value is not None else "",
        mode=inputs.mode.value or "",
        computer_age_s=_age(inputs.computer),
        computer_load=_or_nan(computer.load),
        computer_memory=_or_nan(computer.memory),
        computer_throttled=-1 if computer.throttled is None else int(computer.throttled),
        warned_age_s=_age(inputs.warned),
        held_suite=inputs.held.suite if inputs.held is not None else "",
        held_until_s=inputs.held.until_s if inputs.held is not None else 0.0,
    )
    session = inputs.session.value
    if session is None:
        return message
    message.session_suite = session.suite
    message.session_epoch = session.epoch
    message.session_key_age_s = _or_nan(session.key_age_s)
    message.session_handshake_s = _or_nan(session.handshake_s)
    message.session_work_s = _or_nan(session.work_s)
    message.session_ratchets = session.ratchets
    message.session_rekeying = session.rekeying
    message.session_barred = sorted(session.blacklisted)
    if session.failure is not None:
        message.session_failures = session.failure.count
        message.session_failed_suite = session.failure.suite
        message.session_failed_reason = session.failure.reason
        message.session_failed_authenticated = session.failure.authenticated
    return message
