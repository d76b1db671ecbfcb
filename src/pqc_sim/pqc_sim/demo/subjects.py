# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The subject of a flight in words: the input of the policy that the flight is about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from pqc_msgs.msg import AdvisorVerdict, PolicyInputs


def subject_text(subject: str, inputs: PolicyInputs | None, advisor: AdvisorVerdict | None) -> str:
    """Return the newest values of a subject: "advisor", or one of SUBJECTS."""
    if subject == "advisor":
        return _advisor(advisor)
    return "no input yet" if inputs is None else SUBJECTS[subject](inputs)


def _heat(inputs: PolicyInputs) -> str:
    if inputs.thermal_age_s < 0.0:
        return "no temperature"
    temperature = _value(inputs.thermal_temperature_c, ".1f", "°C")
    rate = _value(inputs.thermal_rate_c_per_min, "+.1f", "°C/min")
    return f"{temperature}   {rate}{_age(inputs.thermal_age_s)}"


def _battery(inputs: PolicyInputs) -> str:
    if inputs.battery_age_s < 0.0:
        return "no voltage"
    voltage = _value(inputs.battery_voltage_v, ".2f", "V")
    rate = _value(inputs.battery_rate_mv_per_min, "+.0f", "mV/min")
    charge = _value(100.0 * inputs.battery_charge, ".0f", "%")
    return f"{voltage}   {rate}   {charge}{_age(inputs.battery_age_s)}"


def _outages(inputs: PolicyInputs) -> str:
    count = "-" if inputs.link_blackouts < 0 else f"{inputs.link_blackouts}"
    gap = _value(inputs.link_gap_p95_s, ".2f", "s")
    silence = _value(inputs.link_longest_silence_s, ".1f", "s")
    return f"blackouts {count}   gap (p95) {gap}   longest silence {silence}"


def _key_age(inputs: PolicyInputs) -> str:
    return _value(inputs.session_key_age_s, ".0f", "s")


def _advisor(advisor: AdvisorVerdict | None) -> str:
    if advisor is None:
        return "no verdict"
    score = "learning the normal traffic"
    if not math.isnan(advisor.score):
        score = f"score {100.0 * advisor.score:.0f} % ({advisor.detector})"
    return f"{advisor.verdict_text}   {score}"


def _value(value: float, form: str, unit: str) -> str:
    return f"- {unit}" if math.isnan(value) else f"{value:{form}} {unit}"


def _age(age_s: float) -> str:
    return f"   {age_s:.0f} s old" if age_s >= 3.0 else ""


SUBJECTS: Mapping[str, Callable[[PolicyInputs], str]] = {
    "heat": _heat,
    "battery": _battery,
    "outages": _outages,
    "key age": _key_age,
}
