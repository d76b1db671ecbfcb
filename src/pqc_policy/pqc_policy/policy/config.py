# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything about the policy that can be configured, with the defaults of docs/policy.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite

from pqc_policy.policy.suites import AEADS, LEVELS, KemFamily, SignatureFamily, Suite, find_suite

REFERENCE_CELLS = 4
REQUIRED_INPUTS = ("link", "battery", "thermal", "armed", "session")


class ConfigFault(ValueError):
    """A configuration that can't be used; the message is one sentence."""


def _default_intervals() -> Mapping[KemFamily, float | None]:
    return {
        KemFamily.ML_KEM: 60.0,
        KemFamily.FRODOKEM: 60.0,
        KemFamily.HQC: 300.0,
        KemFamily.MCELIECE: None,
    }


@dataclass(frozen=True)
class Allowed:
    """Which suites may ever be chosen."""

    min_level: int = 1
    families: frozenset[KemFamily] = frozenset(KemFamily)
    signatures: frozenset[SignatureFamily] = frozenset(SignatureFamily)
    aeads: frozenset[str] = frozenset(AEADS)
    experimental: bool = False
    suites: frozenset[str] | None = None  # the only ones; None: all that the rest lets through

    def allows(self, suite: Suite) -> bool:
        """Tell whether a suite may be chosen."""
        return (
            suite.level >= self.min_level
            and suite.family in self.families
            and suite.signature_family in self.signatures
            and suite.aead in self.aeads
            and (self.experimental or not suite.experimental)
            and (self.suites is None or suite.id in self.suites)
        )


@dataclass(frozen=True)
class ExpertConfig:
    """When the guards of the expert strategy fire, and when they let go again."""

    warm_c: float = 70.0  # above it no slow handshakes
    hot_c: float = 75.0  # above it fast handshakes alone
    thermal_clear_c: float = 5.0  # below a ceiling for it to let go
    charge_low: float = 0.30  # below it no slow handshakes
    charge_critical: float = 0.15  # below it fast handshakes alone
    charge_clear: float = 0.03  # above a bin for it to let go
    loss_high: float = 0.03
    loss_clear: float = 0.01
    rtt_high_s: float = 0.100
    rtt_clear_s: float = 0.060
    fast_handshake_s: float = 0.040  # up to here a handshake is fast
    medium_handshake_s: float = 1.0  # up to here it is medium, then slow
    balanced_suite: str = "cs-mlkem768-aesgcm-mldsa65"
    hot_suite: str = "cs-mlkem512-aesgcm-mldsa44"


@dataclass(frozen=True)
class PolicyConfig:
    """All thresholds; the battery's are for four cells and scale with the cells there are."""

    strategy: str = "telemetry_aware"
    allowed: Allowed = Allowed()
    ceiling: str = "cs-mlkem768-aesgcm-mldsa65"  # no upgrade goes beyond it
    cells: int = REFERENCE_CELLS
    required_inputs: tuple[str, ...] = REQUIRED_INPUTS

    stale_s: float = 2.0
    emergency_voltage_v: float = 14.0
    emergency_temperature_c: float = 80.0
    blackout_count: int = 3
    blackout_window_s: float = 10.0
    blacklist_s: float = 1800.0
    retry_s: float = 60.0  # after a rekey that timed out or was refused
    cooldown_s: float = 5.0
    link_gap_s: float = 1.0
    stress_c_per_min: float = 5.0
    stress_mv_per_min: float = -500.0
    persistence_s: float = 5.0
    upgrade_stable_s: float = 30.0
    rekey_interval_s: Mapping[KemFamily, float | None] = field(default_factory=_default_intervals)
    rekey_limit: int = 5
    rekey_window_s: float = 300.0
    rekey_reserve: int = 1  # of the limit, kept for switches
    max_interruption_s: float = 5.0
    pending_s: float = 60.0  # how long a decision may take to show in the session
    # How far beyond the emergency's thresholds counts as calm.
    calm_voltage_v: float = 0.2
    calm_temperature_c: float = 5.0
    expert: ExpertConfig = ExpertConfig()

    def __post_init__(self) -> None:
        """Raise ConfigFault, in one sentence, if the values make no sense."""
        for part in (self, self.expert):
            for item in fields(part):
                value = getattr(part, item.name)
                if isinstance(value, float) and not isfinite(value):
                    raise ConfigFault(f"{item.name} is {value}, but must be a finite number.")
                if item.name.endswith("_s") and isinstance(value, float) and value < 0:
                    raise ConfigFault(f"{item.name} is {value}, but can't be below zero.")
        self._check_choices()
        if self.stress_mv_per_min >= 0:
            raise ConfigFault(
                f"stress_mv_per_min is {self.stress_mv_per_min}, but must be below zero."
            )
        if self.rekey_limit < 1:
            raise ConfigFault(f"rekey_limit is {self.rekey_limit}, but must be at least 1.")
        if not 0 <= self.rekey_reserve < self.rekey_limit:
            raise ConfigFault(
                f"rekey_reserve is {self.rekey_reserve}, but must be from 0 to rekey_limit - 1."
            )
        for family, interval in self.rekey_interval_s.items():
            if interval is not None and not (isfinite(interval) and interval > 0):
                raise ConfigFault(f"rekey_interval_s of {family} is {interval}, not above zero.")

    def _check_choices(self) -> None:
        if self.allowed.min_level not in LEVELS:
            raise ConfigFault(f"min_level is {self.allowed.min_level}, but must be 1, 3 or 5.")
        if not 1 <= self.cells <= 24:
            raise ConfigFault(f"cells is {self.cells}, but must be from 1 to 24.")
        if strangers := sorted(set(self.required_inputs) - set(REQUIRED_INPUTS)):
            raise ConfigFault(f"required_inputs names {strangers[0]!r}, which is no such input.")
        if "session" not in self.required_inputs:
            raise ConfigFault("required_inputs must have session.")
        for name, suite_id in (
            ("ceiling", self.ceiling),
            ("expert.balanced_suite", self.expert.balanced_suite),
            ("expert.hot_suite", self.expert.hot_suite),
        ):
            if find_suite(suite_id) is None:
                raise ConfigFault(f"{name} is {suite_id!r}, but there is no such suite.")

    @property
    def emergency_pack_v(self) -> float:
        """Voltage of the whole pack below which there is an emergency, in V."""
        return self.emergency_voltage_v * self.cells / REFERENCE_CELLS

    @property
    def stress_pack_mv_per_min(self) -> float:
        """Rate of the whole pack's voltage below which there is stress, in mV/min."""
        return self.stress_mv_per_min * self.cells / REFERENCE_CELLS

    @property
    def calm_pack_v(self) -> float:
        """Voltage of the whole pack from which on it counts as calm, in V."""
        return self.emergency_pack_v + self.calm_voltage_v * self.cells / REFERENCE_CELLS
