# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""TelemetryAwarePolicyV2, table II of the paper, in its order and with its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from pqc_policy.policy import guards
from pqc_policy.policy.config import ExpertConfig
from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.rekey import rekey
from pqc_policy.policy.wishes.step_down import step_down
from pqc_policy.policy.wishes.upgrade import upgrade
from pqc_policy.policy.wording import apart


def _lasted_s(s: Situation, name: str) -> float | None:
    """Return how long a condition has lasted, in s; None before it has lasted long enough."""
    lasted_s = s.since_switch_s(name)
    return None if lasted_s is None or lasted_s < s.config.persistence_s else lasted_s


def _awaits(s: Situation, name: str, what: str) -> Iterator[str]:
    lasted_s = s.since_switch_s(name)
    if lasted_s is not None and lasted_s < s.config.persistence_s:
        yield f"one step down if {what} for {s.config.persistence_s - lasted_s:.0f} s more"


@rule(
    "session",
    "link",
    numbers=("link_gap_s", "persistence_s"),
    awaits=lambda s: _awaits(s, "link", "the link stays bad"),
    lasting=lambda s: s.link_bad,
)
def link(s: Situation) -> Proposal | None:
    """Go one step down when the gap between datagrams has been too large for a while."""
    lasted_s = _lasted_s(s, "link")
    if lasted_s is None:
        return None
    gap, limit = apart(s.gap_s or 0.0, s.config.link_gap_s, 2)
    what = f"The gap between datagrams (95th percentile) is {gap} s, and has been more than"
    return step_down(s, f"{what} {limit} s for {lasted_s:.0f} s")


@rule(
    "session",
    one_of=("battery", "thermal"),
    numbers=("stress_c_per_min", "stress_mv_per_min", "persistence_s"),
    awaits=lambda s: _awaits(s, "stress", "the stress lasts"),
    lasting=lambda s: s.stressed,
)
def stress(s: Situation) -> Proposal | None:
    """Go one step down when temperature or voltage have changed too fast for a while."""
    lasted_s = _lasted_s(s, "stress")
    if lasted_s is None:
        return None
    heating = s.thermal.rate_c_per_min if s.thermal is not None else None
    if heating is not None and heating > s.config.stress_c_per_min:
        rate, limit = apart(heating, s.config.stress_c_per_min, 1)
        why = f"The temperature rises by {rate} °C/min, more than {limit} °C/min"
    else:
        sagging = (s.battery.rate_mv_per_min if s.battery is not None else None) or 0.0
        rate, limit = apart(-sagging, -s.pack.stress_mv_per_min, 0)
        why = f"The voltage falls by {rate} mV/min, more than {limit} mV/min"
    return step_down(s, f"{why}; there has been stress for {lasted_s:.0f} s")


def _published_inputs(inputs: DecisionInput) -> DecisionInput:
    """Return the inputs of the published table alone."""
    seen_link = inputs.link.value and replace(inputs.link.value, rate_bytes_s=None)
    return DecisionInput(
        inputs.now_s,
        link=replace(inputs.link, value=seen_link),
        battery=inputs.battery,
        thermal=inputs.thermal,
        armed=inputs.armed,
        session=inputs.session,
    )


# The table knows neither loss nor round trip, no delay of an emergency and no margin around it, no
# limit of an episode, no wait after a failure, no reserve among its five rekeys, no stagger, and
# none of the levels of `expert`.
_FIXED = {
    "link_loss": 1.0,
    "link_rtt_s": 60.0,
    "stress_c_per_min": 5.0,
    "stress_mv_per_min": -500.0,
    "emergency_voltage_s": 0.0,
    "emergency_temperature_s": 0.0,
    "calm_voltage_v": 0.0,
    "calm_temperature_c": 0.0,
    "blackout_blacklist_s": 1800.0,
    "step_down_limit": 100,
    "retry_s": 0.0,
    "rekey_reserve": 0,
    "latest_intervals": inf,
    "identity": "",
    "expert": ExpertConfig(
        warm_c=150.0,
        hot_c=150.0,
        charge_low=0.0,
        charge_critical=0.0,
        loss_high=1.0,
        rtt_high_s=10.0,
    ),
    "stable_needs_all": True,
}
PAPER_2025 = Strategy(
    (link, stress, rekey, upgrade),
    _FIXED,
    "raspberry_pi_5",
    _published_inputs,
    before=(guards.safety, guards.emergency, guards.blackout, guards.cooldown),
    after=(guards.nominal,),
)
