# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of the policy between two decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pqc_policy.policy.inputs import Phase


@dataclass(frozen=True, slots=True)
class Pending:
    """A requested rekey that does not show in the session yet."""

    target: str
    suite: str  # of the session when it was requested, and its epoch
    epoch: int
    since_s: float
    patience_s: float  # until it counts as failed
    one_time: bool = False  # whether it asks for a one-time key of the anchor


@dataclass(frozen=True, slots=True)
class FailedRekey:
    """The newest failure of a rekey, and how many there were to its suite in a row."""

    suite: str
    at_s: float
    in_a_row: int = 1


@dataclass(frozen=True, slots=True)
class ExpertLevels:
    """How strongly each rule of the expert strategy is active, from 0 (not) to 2."""

    thermal: int = 0
    battery: int = 0
    link: int = 0
    advisor: int = 0  # 1: an attack; 2: one against which lighter suites help
    link_since_s: float | None = None  # start of the present bad link
    advisor_since_s: float | None = None  # start of the present attack, of its class

    @property
    def active(self) -> tuple[str, ...]:
        levels = (
            ("thermal", self.thermal),
            ("battery", self.battery),
            ("link", self.link),
            ("advisor", self.advisor),
        )
        return tuple(name for name, level in levels if level)


@dataclass(frozen=True)
class PolicyState:
    """The whole state; all times are on the clock of the inputs, in seconds."""

    now_s: float | None = None
    suite: str | None = None
    epoch: int | None = None
    previous_suite: str | None = None  # in use before the latest switch
    switched_at_s: float | None = None
    keys_since_s: float | None = None
    blackouts_seen: int | None = None
    blackouts_at_switch: int | None = None
    since: Mapping[str, float] = field(default_factory=dict)  # starts of conditions that hold
    low_voltage_s: float = 0.0  # time below the emergency's voltage; time above counts back by half
    hot_s: float = 0.0  # the same of the time above the emergency's temperature
    rekeys_s: tuple[float, ...] = ()  # requests within rekey_window_s, without those that failed
    blacklist: tuple[tuple[str, float], ...] = ()  # suite and when it may be chosen again
    failures_seen: int | None = None
    ratchets_seen: int | None = None
    failed: FailedRekey | None = None
    steps_down: int = 0  # switches to a lighter suite since something began to press
    pending: Pending | None = None
    event_s: Mapping[str, float] = field(default_factory=dict)  # newest renewal of each rule
    attack_over_s: float | None = None
    attack_class: str = ""  # of the newest attack; empty: not known
    warned_rekey_s: float | None = None  # the newest renewal that was asked for because of one
    phase: Phase | None = None  # the newest known one
    no_renewals_since_s: float | None = None  # start of phases without renewals of the keys
    ratchets_in_a_row: int = 0
    levels: ExpertLevels = ExpertLevels()
    # Rekeys may take so much of the budget of airtime now; None: the link's rate was never known.
    credit_bytes: float | None = None
    fetch_asked_s: float | None = None  # the newest wish for a fetch
    no_one_time_s: float | None = None  # the newest failure of a one-time key

    def updated(self, **values: Any) -> PolicyState:
        """Return the state with these values; itself if it has them, as in most seconds."""
        if values.items() <= vars(self).items():
            return self
        other = object.__new__(PolicyState)  # faster than replace()
        vars(other).update(vars(self), **values)
        return other
