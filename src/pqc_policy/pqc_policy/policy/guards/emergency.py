# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of emergencies: a battery that is nearly empty, or a computer that is too hot."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite
from pqc_policy.policy.wording import apart

_TRIES = 3


@rule(
    "session",
    one_of=("battery", "thermal"),
    numbers=("emergency_voltage_v", "emergency_temperature_c"),
)
def emergency(s: Situation) -> Proposal | None:
    """Go to the lightest suite at once when voltage is too low or temperature too high."""
    empty = s.low_voltage and s.state.low_voltage_s > s.config.emergency_voltage_s
    hot = s.too_hot and s.state.hot_s > s.config.emergency_temperature_s
    if not (empty or hot) or s.current is None:
        return None
    if empty and s.voltage_v is not None:
        volts, limit = apart(s.voltage_v, s.pack.emergency_v, 2)
        why = f"The battery is at {volts} V, below {limit} V"
    else:
        degrees, limit = apart(s.temperature_c or 0.0, s.config.emergency_temperature_c, 1)
        why = f"The computer is at {degrees} °C, above {limit} °C"
    lightest = _lightest(s)
    if lightest is None or not s.order.lighter(lightest, s.current):
        return Proposal(Action.HOLD, f"{why}; no lighter suite is left.")
    return Proposal(
        Action.DOWN_TO_LIGHTEST,
        f"{why}: to the lightest suite at once, exempt from the limit of rekeys.",
        target=lightest.id,
    )


def _lightest(s: Situation) -> Suite | None:
    failed, lightest = s.state.failed, s.order.lightest(s.barred)
    if failed is None or failed.in_a_row < _TRIES:
        return lightest
    # A suite that the other end keeps refusing must not hold the drone up.
    return s.order.lightest(s.barred | {failed.suite}) or lightest
