# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated vehicle and tunnel, which give the policy its inputs once a second."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import (
    Battery,
    Computer,
    DecisionInput,
    Failure,
    Held,
    Link,
    Phase,
    Reading,
    Session,
    Thermal,
    Verdict,
)
from pqc_policy.policy.profile import SHIPPED, shipped_profile
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.strategies import paper_2025
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.rekey import rekey
from pqc_policy.policy.wishes.upgrade import upgrade

MLKEM512 = "cs-mlkem512-aesgcm-mldsa44"
LIGHTEST = "cs-mlkem512-aesgcm-falcon512"
MLKEM768 = "cs-mlkem768-aesgcm-mldsa65"
MLKEM1024 = "cs-mlkem1024-aesgcm-mldsa87"
HQC256 = "cs-hqc256-aesgcm-mldsa87"
MCELIECE3 = "cs-classicmceliece460896-aesgcm-mldsa65"
MCELIECE5 = "cs-classicmceliece8192128-aesgcm-mldsa87"
# The steps of the paper's table, behind the guards that every other strategy has.
STEPPING = Strategy(
    (paper_2025.link, paper_2025.stress, rekey, upgrade),
    {"stress_c_per_min": 5.0, "stress_mv_per_min": -500.0},
)

_AGE_S = 0.1  # of an input that is not late
_REKEY_S = 0.1  # from the decision until the new keys are in use
_MESSAGES = {"attack_class": "advisor"}  # inputs that come in the message of another one


@dataclass
class Flight:
    """Steps a policy once a second; the tunnel carries out a decision before the next step."""

    policy: Policy
    suite: str = MLKEM768
    epoch: int = 1
    now_s: float = 1000.0
    gap_s: float = 0.02
    loss: float = 0.0
    rtt_s: float = 0.02
    rate_bytes_s: float | None = None
    rate_source: str = ""
    silence_s: float = 0.03
    phase: Phase | None = None
    computer: Computer | None = None
    power_w: float | None = None
    endurance_s: float | None = None
    held: Held | None = None
    warned: bool = False
    ratchets: int = 0
    blackouts: int = 0
    voltage_v: float = 15.6
    mv_per_min: float = -40.0
    charge: float = 0.9
    cells: int = 4
    temperature_c: float = 55.0
    c_per_min: float = 0.0
    armed: bool = True
    advisor: Verdict | None = None
    attack_class: str | None = None
    keys_since_s: float = 1000.0
    rekeying: bool = False
    obedient: bool = True
    ages_s: dict[str, float] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    blacklisted: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    failure: Failure | None = None
    authenticated: bool = True
    state: PolicyState = field(default_factory=PolicyState)
    decisions: list[Decision] = field(default_factory=list)
    renewed_s: list[float] = field(default_factory=list)  # when a rekey was done

    def inputs(self) -> DecisionInput:
        """Return the present inputs."""
        values: dict[str, Any] = {
            "link": Link(
                gap_p95_s=self.gap_s,
                blackouts=self.blackouts,
                loss=self.loss,
                rtt_s=self.rtt_s,
                rate_bytes_s=self.rate_bytes_s,
                rate_source=self.rate_source,
                longest_silence_s=self.silence_s,
            ),
            "battery": Battery(
                self.voltage_v, self.mv_per_min, self.charge, self.endurance_s, self.cells
            ),
            "thermal": Thermal(self.temperature_c, self.c_per_min),
            "armed": self.armed,
            "advisor": self.advisor,
            "attack_class": self.attack_class if self.advisor is not None else None,
            "phase": self.phase,
            "computer": self.computer,
            "power_w": self.power_w,
            "warned": self.warned or None,
            "session": Session(
                suite=self.suite,
                epoch=self.epoch,
                key_age_s=max(self.now_s - self.age_s("session") - self.keys_since_s, 0.0),
                ratchets=self.ratchets,
                rekeying=self.rekeying,
                blacklisted=self.blacklisted,
                failure=self.failure,
            ),
        }
        return DecisionInput(
            now_s=self.now_s,
            held=self.held,
            **{
                name: Reading(value, self.age_s(_MESSAGES.get(name, name)))
                for name, value in values.items()
                if value is not None and _MESSAGES.get(name, name) not in self.absent
            },
        )

    def age_s(self, name: str) -> float:
        """Return the age of an input."""
        return self.ages_s.get(name, _AGE_S)

    def step(self, **changes: Any) -> Decision:
        """Set attributes, advance the time by a second and return the decision."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.now_s += 1.0
        decision, self.state = self.policy.decide(self.state, self.inputs())
        self.decisions.append(decision)
        if decision.to_suite is not None and self.obedient:
            self._obey(decision.to_suite, decision.ratchet)
        return decision

    def _obey(self, suite: str, ratchet: bool = False) -> None:
        if suite in self.refused:
            count = self.failure.count + 1 if self.failure is not None else 1
            self.failure = Failure(count, suite, "the peer refused", self.authenticated)
            return
        self.renewed_s.append(self.now_s)
        self.ratchets += ratchet
        self.suite = suite
        self.epoch = (self.epoch + 1) % 256
        self.keys_since_s = self.now_s + _REKEY_S

    def fly(self, seconds: int, **changes: Any) -> list[Decision]:
        """Set attributes, advance the time and return the decisions."""
        return [self.step(**(changes if i == 0 else {})) for i in range(seconds)]

    def until(self, action: Action, limit: int = 600) -> Decision:
        """Advance the time until an action is decided; return that decision."""
        for _ in range(limit):
            decision = self.step()
            if decision.action is action:
                return decision
        raise AssertionError(f"no {action} within {limit} s")


def take_off(policy: Policy | None = None, **circumstances: Any) -> Flight:
    """Return a calm flight that has lasted a second."""
    flight = Flight(policy if policy is not None else Policy(PolicyConfig()), **circumstances)
    flight.step()
    return flight


def policy_with(profile: str = SHIPPED[0], made: Strategy | None = None, **changes: Any) -> Policy:
    """Return a policy with changed parameters, and the costs of a shipped profile."""
    return Policy(replace(PolicyConfig(), **changes), shipped_profile(profile), strategy=made)


def stepping(**changes: Any) -> Policy:
    """Return a policy that steps down under stress and on a bad link."""
    return policy_with(made=STEPPING, **changes)
