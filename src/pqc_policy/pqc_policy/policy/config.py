# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything about the policy that can be configured, with the defaults of docs/policy.md.

Each field says what it is and, if it is a number, from where to where it makes sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from pqc_policy.policy.suites import AEADS, LEVELS, KemFamily, SignatureFamily, Suite, find_suite

REFERENCE_CELLS = 4
REQUIRED_INPUTS = ("link", "battery", "thermal", "armed", "session")


class ConfigFault(ValueError):
    """A configuration that can't be used; the message is one sentence."""


def _field(default: Any, says: str, low: float | None = None, high: float | None = None) -> Any:
    return field(default=default, metadata={"says": says, "low": low, "high": high})


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

    min_level: int = _field(1, "lowest NIST level ever chosen: 1, 3 or 5", 1, 5)
    families: frozenset[KemFamily] = _field(frozenset(KemFamily), "KEM families")
    signatures: frozenset[SignatureFamily] = _field(frozenset(SignatureFamily), "signatures")
    aeads: frozenset[str] = _field(frozenset(AEADS), "ciphers of the data")
    experimental: bool = _field(False, "suites whose specification has changed since (HQC)")
    suites: frozenset[str] | None = _field(
        None, "the only suites ever chosen; empty: all that the rest lets through"
    )

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

    warm_c: float = _field(70.0, "°C; above it no slow handshakes", 0, 150)
    hot_c: float = _field(75.0, "°C; above it fast handshakes alone", 0, 150)
    thermal_clear_c: float = _field(5.0, "°C below a ceiling for it to let go", 0, 50)
    charge_low: float = _field(0.30, "charge (0 to 1) below which no slow handshakes", 0, 1)
    charge_critical: float = _field(0.15, "charge (0 to 1) below which fast handshakes alone", 0, 1)
    charge_clear: float = _field(0.03, "charge above a limit for it to let go", 0, 0.5)
    loss_high: float = _field(0.03, "share of datagrams lost above which the link is bad", 0, 1)
    loss_clear: float = _field(0.01, "share of datagrams lost above which it stays bad", 0, 1)
    rtt_high_s: float = _field(0.100, "round trip (s) above which the link is bad", 0, 10)
    rtt_clear_s: float = _field(0.060, "round trip (s) above which it stays bad", 0, 10)
    fast_handshake_s: float = _field(0.040, "up to here (s) a handshake is fast", 0, 10)
    medium_handshake_s: float = _field(1.0, "up to here (s) it is medium, then slow", 0, 60)
    balanced_suite: str = _field("cs-mlkem768-aesgcm-mldsa65", "suite while all is well")
    hot_suite: str = _field("cs-mlkem512-aesgcm-mldsa44", "suite while it is hot")


@dataclass(frozen=True)
class PolicyConfig:
    """All thresholds; the battery's are for four cells and scale with the cells there are."""

    strategy: str = _field("telemetry_aware", "static, telemetry_aware or expert")
    allowed: Allowed = Allowed()
    ceiling: str = _field("cs-mlkem768-aesgcm-mldsa65", "suite beyond which no upgrade goes")
    cells: int = _field(REFERENCE_CELLS, "battery cells in series", 1, 24)
    required_inputs: tuple[str, ...] = _field(
        REQUIRED_INPUTS,
        "inputs without which the policy only holds: link, battery, thermal, armed, session; "
        "leave out what this drone can't sense",
    )

    stale_s: float = _field(2.0, "age (s) beyond which an input counts for nothing", 0.1, 60)
    emergency_voltage_v: float = _field(14.0, "V of four cells; below it an emergency", 0, 20)
    emergency_temperature_c: float = _field(80.0, "°C; above it an emergency", 0, 150)
    blackout_count: int = _field(3, "blackouts after a switch beyond which it is undone", 0, 100)
    blackout_window_s: float = _field(10.0, "how long (s) after a switch they count", 0, 300)
    blacklist_s: float = _field(1800.0, "how long (s) a bad suite is kept from", 0, 86400)
    retry_s: float = _field(
        60.0, "how long (s) after a rekey that timed out or was refused", 0, 86400
    )
    cooldown_s: float = _field(5.0, "s after a switch without another one", 0, 300)
    link_gap_s: float = _field(1.0, "s between datagrams (p95); above it the link is bad", 0, 60)
    stress_c_per_min: float = _field(5.0, "°C/min; warming faster is stress", 0, 100)
    stress_mv_per_min: float = _field(
        -500.0, "mV/min of four cells; falling faster is stress", -100_000, 0
    )
    persistence_s: float = _field(5.0, "how long (s) link or stress must last", 0, 300)
    upgrade_stable_s: float = _field(30.0, "s of calm on the ground before an upgrade", 0, 3600)
    rekey_interval_s: Mapping[KemFamily, float | None] = field(
        default_factory=_default_intervals,
        metadata={"says": "stable s after which {} gets fresh keys; 0: never"},
    )
    rekey_limit: int = _field(5, "rekeys within rekey_window_s, but for emergencies", 1, 100)
    rekey_window_s: float = _field(300.0, "how long (s) a rekey counts for the limit", 1, 86400)
    rekey_reserve: int = _field(1, "rekeys of the limit that only switches may use", 0, 99)
    max_interruption_s: float = _field(
        5.0, "s without data that a switch may be predicted to cause", 0.001, 60
    )
    pending_s: float = _field(60.0, "how long (s) a rekey may take to show in the session", 1, 600)
    calm_voltage_v: float = _field(
        0.2, "V of four cells beyond the emergency's that count as calm", 0, 5
    )
    calm_temperature_c: float = _field(5.0, "°C short of the emergency's that count as calm", 0, 50)
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
