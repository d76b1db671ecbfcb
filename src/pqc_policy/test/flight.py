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
from pqc_policy.policy.protection import FORM_OF, FORMS, Fetch, Layer
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.strategies import paper_2025
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.suites import SUITES, Suite, find_suite
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

WIFI_BYTES_S = 2.5e6
_AGE_S = 0.1  # of an input that is not late
_REKEY_S = 0.1  # from the decision until the new keys are in use
_MESSAGES = {"attack_class": "advisor"}  # inputs that come in the message of another one


def suite(suite_id: str) -> Suite:
    found = find_suite(suite_id)
    assert found is not None
    return found


@dataclass
class Chain:
    """What the tunnel tells of its chain of keys, and of those that it fetches."""

    anchor: str = ""
    one_time_keys: int = 16
    told: bool = False  # whether it knows what a KEM costs on this link
    stalled: bool = False  # somebody drops what is fetched
    timed: bool = True  # whether it knows how long a fetch takes
    rekey_s: float | None = None  # of a rekey; None: what the rate gives
    mixed: dict[tuple[str, str], float] = field(default_factory=dict)  # form and key, and when
    left: dict[str, float] = field(default_factory=dict)  # share of a key that is to come

    def layers(self, now_s: float) -> tuple[Layer, ...]:
        return tuple(
            Layer(FORMS[form][0], form, FORMS[form][1], key, now_s - at_s)
            for (form, key), at_s in self.mixed.items()
        )

    def fetches(self, suite_id: str, rate_bytes_s: float | None) -> tuple[Fetch, ...]:
        """Return the costs of the suites with cipher and signature in use."""
        now = find_suite(suite_id)
        if not self.told or now is None:
            return ()
        return tuple(
            self._fetch(one, rate_bytes_s)
            for one in SUITES
            if (one.level, one.aead, one.signature) == (now.level, now.aead, now.signature)
        )

    def _fetch(self, suite: Suite, rate_bytes_s: float | None) -> Fetch:
        budget, left = 0.02 * (rate_bytes_s or WIFI_BYTES_S), self.left.get(suite.id)
        rekey_bytes = suite.rekey_bytes - suite.prekey_bytes
        return Fetch(
            suite.id,
            suite.prekey_bytes,
            rekey_bytes,
            fetch_s=suite.prekey_bytes / budget if self.timed else None,
            rekey_s=self.rekey_s or rekey_bytes / (rate_bytes_s or WIFI_BYTES_S),
            ready=left == 0.0,
            progress=1.0 - left if left else None,
        )

    def pass_second(self, rate_bytes_s: float | None) -> None:
        for suite_id, left in self.left.items():
            suite = find_suite(suite_id)
            if suite is not None and left > 0.0 and not self.stalled:
                part = 0.02 * (rate_bytes_s or WIFI_BYTES_S) / suite.prekey_bytes
                self.left[suite_id] = max(left - part, 0.0)

    def mix(self, suite_id: str, now_s: float, *, ratchet: bool, one_time: bool) -> None:
        suite = find_suite(suite_id)
        if one_time:
            self.one_time_keys -= 1
            self.mixed["goppa", "one_time"] = now_s
        elif not ratchet and suite is not None:
            self.mixed[FORM_OF[suite.family], "ephemeral"] = now_s
            self.left.pop(suite_id, None)


def anchored(**changes: Any) -> Chain:
    """Return the chain of a session that has just begun with a one-time key of the anchor."""
    mixed = {("structured", "ephemeral"): 1000.0, ("goppa", "one_time"): 1000.0}
    return replace(Chain("one_time", told=True, mixed=mixed), **changes)


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
    chain: Chain = field(default_factory=lambda: Chain())

    def inputs(self) -> DecisionInput:
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
                layers=self.chain.layers(self.now_s),
                anchor=self.chain.anchor,
                fetches=self.chain.fetches(self.suite, self.rate_bytes_s),
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
        return self.ages_s.get(name, _AGE_S)

    def step(self, **changes: Any) -> Decision:
        """Set attributes, advance the time by a second and return the decision."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.now_s += 1.0
        self.chain.pass_second(self.rate_bytes_s)
        decision, self.state = self.policy.decide(self.state, self.inputs())
        self.decisions.append(decision)
        if decision.to_suite is not None and self.obedient:
            self._obey(decision.to_suite, decision.ratchet, decision.one_time_key)
        if decision.prefetch and self.obedient:
            self.chain.left.setdefault(decision.prefetch, 1.0)
        return decision

    def _obey(self, suite: str, ratchet: bool = False, one_time: bool = False) -> None:
        if suite in self.refused or (one_time and not self.chain.one_time_keys):
            count = self.failure.count + 1 if self.failure is not None else 1
            self.failure = Failure(count, suite, "the peer refused", self.authenticated)
            return
        self.renewed_s.append(self.now_s)
        self.chain.mix(suite, self.now_s, ratchet=ratchet, one_time=one_time)
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
