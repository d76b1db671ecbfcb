# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The levels of trouble, with hysteresis: the exclusions of `expert`, and what presses for all."""

from __future__ import annotations

from pqc_policy.policy.config import ExpertConfig
from pqc_policy.policy.inputs import Verdict, known
from pqc_policy.policy.responses import response_to
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import ExpertLevels


def update(s: Situation) -> ExpertLevels:
    """Return the levels after the newest inputs; a rule whose input is unknown keeps its level."""
    expert, levels = s.config.expert, s.state.levels
    charge = known(s.battery.charge) if s.battery is not None else None
    attacked = _advisor(s, levels.advisor)
    other = s.under_attack and s.attack_class != s.state.attack_class
    since_s = s.now_s if other or levels.advisor_since_s is None else levels.advisor_since_s
    link, link_since_s = _link(s, levels)
    return ExpertLevels(
        thermal=_thermal(expert, levels.thermal, s.temperature_c),
        battery=_battery(expert, levels.battery, charge),
        link=link,
        advisor=attacked,
        link_since_s=link_since_s,
        advisor_since_s=since_s if attacked else None,
    )


def _thermal(expert: ExpertConfig, level: int, temperature_c: float | None) -> int:
    if temperature_c is None:
        return level
    rising = (temperature_c > expert.warm_c) + (temperature_c > expert.hot_c)
    clear_c = temperature_c + expert.thermal_clear_c
    falling = (clear_c > expert.warm_c) + (clear_c > expert.hot_c)
    return max(rising, min(level, falling))


def _battery(expert: ExpertConfig, level: int, charge: float | None) -> int:
    if charge is None:
        return level
    falling = (charge < expert.charge_low) + (charge < expert.charge_critical)
    clear = charge - expert.charge_clear
    rising = (clear < expert.charge_low) + (clear < expert.charge_critical)
    return max(falling, min(level, rising))


def _advisor(s: Situation, level: int) -> int:
    # The advisor's verdict has its own hysteresis.
    verdict = s.inputs.advisor.fresh(s.config.stale_s)
    if verdict is None:
        return level
    if verdict is not Verdict.ATTACK:
        return 0
    return 2 if response_to(s.attack_class).lighter else 1


def _link(s: Situation, levels: ExpertLevels) -> tuple[int, float | None]:
    """Activate after a persistently bad link; clear only below the lower thresholds.

    Return the level, and since when the link has been bad; None: it is not.
    """
    if s.link is None:
        return levels.link, None
    expert = s.config.expert

    def beyond(loss_limit: float, rtt_limit_s: float) -> bool:
        return (
            s.link_bad
            or (s.loss is not None and s.loss > loss_limit)
            or (s.rtt_s is not None and s.rtt_s > rtt_limit_s)
        )

    bad = beyond(expert.loss_high, expert.rtt_high_s)
    since_s = (levels.link_since_s if levels.link_since_s is not None else s.now_s) if bad else None
    activated = since_s is not None and s.now_s - since_s >= s.config.persistence_s
    stays = levels.link > 0 and beyond(expert.loss_clear, expert.rtt_clear_s)
    return int(activated or stays), since_s
