# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of the policy: every threshold with its default, range and description."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from math import inf

from pqc_policy.parameters import ParameterFault, check, group, parameter
from pqc_policy.plugins import LEARNED_STRATEGIES
from pqc_policy.policy.inputs import REFERENCE_CELLS, REQUIRED_INPUTS
from pqc_policy.policy.protection import FORMS
from pqc_policy.policy.suites import (
    DEFAULT_SUITE,
    LEVELS,
    SUITES,
    KemFamily,
    Suite,
    canonical_id,
)

# Further strategies come from entry points of this group, each a policy.strategies.Strategy.
STRATEGY_GROUP = "pqc_policy.strategies"
OWN_STRATEGIES = ("static", "layered", "telemetry_aware", "paper_2025", "expert")
STRATEGY_NAMES = tuple(
    dict.fromkeys(
        (*OWN_STRATEGIES, *LEARNED_STRATEGIES, *sorted(entry_points(group=STRATEGY_GROUP).names))
    )
)
_SUITE_IDS = tuple(suite.id for suite in SUITES)
_LIGHT = "cs-mlkem512-aesgcm-mldsa44"


@dataclass(frozen=True)
class Allowed:
    """The suites that may ever be chosen."""

    min_level: int = parameter(
        1,
        "Lowest NIST security level of a suite that may be chosen: 1, 3 or 5.",
        choices=LEVELS,
        section="Suites that may be chosen",
    )
    families: frozenset[KemFamily] = parameter(
        frozenset(KemFamily), "KEM families that may be chosen.", choices=tuple(KemFamily)
    )
    experimental: bool = parameter(
        False, "Whether suites whose specification has changed since may be chosen (HQC)."
    )
    suites: frozenset[str] = parameter(
        frozenset(),
        "Ids of the only suites that may be chosen; empty: all that the parameters above allow.",
        choices=_SUITE_IDS,
        canonical=canonical_id,
    )

    def allows(self, suite: Suite) -> bool:
        return (
            suite.level >= self.min_level
            and suite.family in self.families
            and (self.experimental or not suite.experimental)
            and (not self.suites or suite.id in self.suites)
        )


@dataclass(frozen=True)
class RekeyIntervals:
    """The time for which the keys of a KEM family are used while the flight is stable."""

    ml_kem: float = parameter(
        60.0,
        "Stable time and age of the keys after which an ML-KEM suite gets fresh keys; 0: never.",
        "s",
        0,
        86400,
        section="Rekeys",
    )
    mceliece: float = parameter(0.0, "The same for Classic McEliece; 0: never.", "s", 0, 86400)
    # The same for the others.
    frodokem: float = 60.0
    hqc: float = 300.0

    def of(self, family: KemFamily) -> float | None:
        """Return the interval of a family in seconds; None for never."""
        interval_s: float = getattr(self, family.value)
        return interval_s or None


@dataclass(frozen=True)
class ExpertConfig:
    """The values at which the exclusions of the expert strategy become active, and clear."""

    warm_c: float = 70.0  # Above it suites with a slow handshake are excluded
    hot_c: float = 75.0  # Above it all but fast handshakes are excluded
    thermal_clear_c: float = 5.0  # the thermal exclusion clears so far below its threshold
    charge_low: float = 0.30  # Below it suites with a slow handshake are excluded
    charge_critical: float = 0.15  # Below it all but fast handshakes are excluded
    charge_clear: float = 0.03  # the battery exclusion clears so far above its threshold
    loss_high: float = 0.03  # Share of datagrams lost above which the link is bad
    rtt_high_s: float = parameter(
        0.100,
        "Round-trip time above which the link is bad.",
        "s",
        0,
        10,
        section="Strategy expert: exclusions of suites",
    )
    fast_handshake_s: float = 0.040  # Longest predicted handshake that counts as fast
    # Longest predicted handshake that counts as medium; longer ones are slow.
    medium_handshake_s: float = 1.0
    balanced_suite: str = parameter(
        DEFAULT_SUITE,
        "Suite to use while no exclusion is active.",
        choices=_SUITE_IDS,
        canonical=canonical_id,
    )
    hot_suite: str = parameter(
        _LIGHT,
        "Suite to use while the computer is hot.",
        choices=_SUITE_IDS,
        canonical=canonical_id,
    )

    @property
    def loss_clear(self) -> float:
        """Share of datagrams lost above which a bad link stays bad."""
        return self.loss_high / 3.0

    @property
    def rtt_clear_s(self) -> float:
        """Round-trip time above which a bad link stays bad."""
        return 0.6 * self.rtt_high_s


@dataclass(frozen=True)
class PackLimits:
    emergency_v: float  # below which there is an emergency
    calm_v: float  # below which an upgrade is not allowed
    clear_v: float  # above which an emergency is over
    stress_mv_per_min: float  # below which there is stress


@dataclass(frozen=True)
class PolicyConfig:
    """All thresholds; those of the battery are for four cells and scale with the pack's."""

    strategy: str = parameter(
        "telemetry_aware",
        "Rules to decide by: static, layered, telemetry_aware, paper_2025, expert; rl and hybrid "
        "of the package pqc_learning, in which a trained agent takes part; or one of another "
        "package.",
        choices=STRATEGY_NAMES,
        section="Operation",
    )
    allowed: Allowed = group(Allowed, "allowed.")
    ceiling: str = parameter(
        DEFAULT_SUITE,
        "Heaviest suite that an upgrade may lead to.",
        choices=_SUITE_IDS,
        canonical=canonical_id,
        section="Suites that may be chosen",
    )
    max_interruption_s: float = parameter(
        5.0, "Longest time without data that a switch may be predicted to cause.", "s", 0.001, 60
    )

    required_inputs: tuple[str, ...] = parameter(
        REQUIRED_INPUTS,
        "Inputs that this drone can sense: while one is unknown, no suite gets heavier.",
        choices=REQUIRED_INPUTS,
        section="Inputs",
    )
    stale_s: float = parameter(2.0, "Age above which an input counts as unknown.", "s", 0.1, 60)

    emergency_voltage_v: float = parameter(
        14.0,
        "Voltage of four cells below which there is an emergency; voltages scale with the cells "
        "of the pack, battery.cells of the sensing node.",
        "V",
        0,
        20,
        section="Emergency: to the lightest suite at once",
    )
    # Time for which the voltage must be lower; time above it counts back by half.
    emergency_voltage_s: float = 2.0
    # So far above the threshold the voltage of four cells clears the time below it.
    emergency_voltage_clear_v: float = 0.1
    emergency_temperature_c: float = parameter(
        80.0, "Temperature above which there is an emergency.", "°C", 0, 150
    )
    # Time for which the temperature must be higher: one sample is no emergency. Time below it
    # counts back by half.
    emergency_temperature_s: float = 2.0
    # So far below the threshold the temperature clears the time above it.
    emergency_temperature_clear_c: float = 1.0
    # An upgrade needs so much more voltage of four cells than the emergency's threshold.
    calm_voltage_v: float = 0.2
    # An upgrade needs a temperature so far below the emergency's threshold.
    calm_temperature_c: float = 5.0

    blackout_count: int = 3  # Blackouts after a switch above which it is undone
    blackout_window_s: float = 10.0  # Time after a switch in which blackouts count
    # A suite stays blacklisted so long after blackouts, which a jammer can cause.
    blackout_blacklist_s: float = 300.0
    blacklist_s: float = 1800.0  # a suite stays blacklisted after an authenticated failure

    link_gap_s: float = parameter(
        1.0,
        "Time between datagrams (95th percentile) above which the link is bad.",
        "s",
        0,
        60,
        section="Link: bad, so that keys are not renewed and no suite gets heavier",
    )
    link_loss: float = parameter(
        0.25, "Share of datagrams lost above which the link is bad.", "", 0, 1
    )
    link_rtt_s: float = parameter(1.0, "Round-trip time above which the link is bad.", "s", 0, 60)
    # Rates of warming, and of the voltage of four cells, beyond which there is stress.
    stress_c_per_min: float = inf
    stress_mv_per_min: float = -inf
    persistence_s: float = parameter(
        5.0, "How long a bad link or an attack must last, and calm after it.", "s", 0, 300
    )
    # Steps down in an episode, which ends when nothing has pressed for persistence_s; emergencies
    # are exempt.
    step_down_limit: int = 3

    # Longest time that a routine rekey waits for the end of take-off or landing.
    phase_wait_s: float = 300.0
    # Share of datagrams lost above which the operator is advised to slow the mission.
    cue_loss: float = 0.03

    upgrade_stable_s: float = parameter(
        30.0,
        "How long it must have been calm on the ground before an upgrade.",
        "s",
        0,
        3600,
        section="Upgrade: one step up on the ground",
    )

    rekey_interval_s: RekeyIntervals = group(RekeyIntervals, "rekey_interval_s.")
    rekey_limit: int = parameter(
        5,
        "Rekeys allowed within 300 s; failed ones don't count, emergencies are exempt.",
        "",
        1,
        100,
        section="Rekeys",
    )
    rekey_window_s: float = 300.0  # Time for which a rekey counts towards rekey_limit
    rekey_reserve: int = 1  # Rekeys of rekey_limit that are reserved for switches
    identity: str = parameter(
        "",
        "Name of this drone among those of its ground station, by which their routine rekeys are "
        "staggered; empty: not staggered.",
    )
    # The intervals of a fleet's drones differ by at most this, as do their answers to a warning.
    rekey_stagger_s: float = 10.0
    # How long a warning counts that another drone of the fleet reports an attack.
    warned_s: float = 30.0
    warned_rekey_s: float = 300.0  # Shortest time between two renewals because of such warnings
    cooldown_s: float = parameter(5.0, "Time after a switch without another one.", "s", 0, 300)
    rekey_airtime: float = parameter(
        0.01,
        "Share of a thin link's rate that routine rekeys may take; where full ones would take "
        "more, the keys are renewed by a ratchet.",
        "",
        0,
        1,
    )
    # Time after a rekey timed out or was refused until its suite is requested again; it doubles
    # with each further failure, except in an emergency.
    retry_s: float = 5.0
    retry_most_s: float = 60.0  # Longest time until a suite is requested again
    pending_s: float = 60.0  # Longest time to wait until a requested rekey shows in the session
    layers: tuple[str, ...] = parameter(
        ("structured", "goppa", "plain"),
        "Forms of KEMs whose secrets shall be in the chain of keys: structured (ML-KEM) and plain "
        "lattices (FrodoKEM), goppa (Classic McEliece) and quasi_cyclic codes (HQC).",
        choices=tuple(FORMS),
        section="Strategy layered",
    )
    airtime_budget: float = parameter(
        0.02, "Share of a link of known rate that its rekeys and fetches may take.", "", 0, 1
    )
    renew_min_s: float = parameter(
        10.0, "Shortest time between two renewals of the keys.", "s", 1, 86400
    )
    renew_max_s: float = parameter(
        60.0,
        "Age after which keys are renewed by a ratchet where the budget affords no full rekey.",
        "s",
        1,
        86400,
    )
    layers_max_age_s: float = parameter(
        1800.0, "Age after which the secret of a form is refreshed.", "s", 1, 86400
    )
    heal_s: float = parameter(
        14.0,
        "Age after which the secret of codes is refreshed by a fetched key, with which stolen live "
        "keys lose their worth.",
        "s",
        1,
        86400,
    )
    one_time_heal_s: float = parameter(
        120.0,
        "The same by a one-time key of the anchor, where a fetch takes longer than heal_s: these "
        "keys are a stock.",
        "s",
        1,
        86400,
    )
    expert: ExpertConfig = group(ExpertConfig, "expert.")
    # Intervals after which keys need a short calm only, so that whoever disturbs the link in each
    # minute does not stop their renewal. A strategy may put routine renewals off until then.
    latest_intervals: float = 2.0
    # Keys become due only while every required input is known.
    stable_needs_all: bool = False

    def __post_init__(self) -> None:
        """Raise ParameterFault for a value out of its range, or values that don't fit."""
        check(self)
        if "session" not in self.required_inputs:
            raise ParameterFault("required_inputs must contain session.")

    @property
    def routine_limit(self) -> int:
        """Return how many routine rekeys are allowed within rekey_window_s: at least one."""
        return max(self.rekey_limit - self.rekey_reserve, 1)

    def pack(self, cells: int) -> PackLimits:
        if cells not in self._packs:
            share = cells / REFERENCE_CELLS
            emergency_v = self.emergency_voltage_v * share
            self._packs[cells] = PackLimits(
                emergency_v=emergency_v,
                calm_v=emergency_v + self.calm_voltage_v * share,
                clear_v=emergency_v + self.emergency_voltage_clear_v * share,
                stress_mv_per_min=self.stress_mv_per_min * share,
            )
        return self._packs[cells]

    @cached_property
    def _packs(self) -> dict[int, PackLimits]:
        return {}
