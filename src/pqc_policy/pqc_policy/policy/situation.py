# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs and the state of one decision, as the rules of a strategy see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pqc_policy.policy.config import PackLimits, PolicyConfig
from pqc_policy.policy.inputs import (
    INPUTS,
    REFERENCE_CELLS,
    Battery,
    Computer,
    DecisionInput,
    Held,
    Link,
    Session,
    Thermal,
    Verdict,
    known,
)
from pqc_policy.policy.profile import Cost, Profile
from pqc_policy.policy.responses import Response, response_to
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.suite_order import SuiteOrder
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.policy.wording import counted


@dataclass(frozen=True)
class Situation:
    """The view of one decision; an input that is missing or stale is None."""

    config: PolicyConfig
    profile: Profile
    order: SuiteOrder
    inputs: DecisionInput
    state: PolicyState
    barred: frozenset[str]

    def with_state(self, state: PolicyState) -> Situation:
        """Return the situation with another state; what follows from the inputs alone is kept."""
        other = Situation(self.config, self.profile, self.order, self.inputs, state, self.barred)
        # Every cached property follows from inputs and configuration.
        vars(other).update(vars(self), state=state)
        return other

    def cost(self, suite: Suite) -> Cost:
        """Return the predicted cost of a suite."""
        return self.profile.cost(suite)

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of the inputs with a value that is new enough."""
        stale_s = self.config.stale_s
        return frozenset(name for name in INPUTS if self.inputs.known(name, stale_s))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The required inputs that are unknown: first those without a message, then empty ones."""
        required = self.config.required_inputs
        silent = [name for name in required if not self._fresh(name)]
        empty = [name for name in required if self._fresh(name) and name not in self.known]
        return (*silent, *empty)

    @cached_property
    def anything_unknown(self) -> bool:
        """Whether a required input is unknown, or another one that was known before."""
        lost = (
            getattr(self.inputs, name).value is not None and name not in self.known
            for name, kind in INPUTS.items()
            if kind.can_press
        )
        return bool(self.missing) or any(lost)

    def _fresh(self, name: str) -> bool:
        return getattr(self.inputs, name).fresh(self.config.stale_s) is not None

    @property
    def now_s(self) -> float:
        """The time of this decision."""
        return self.inputs.now_s

    @cached_property
    def link(self) -> Link | None:
        """The link, if known."""
        return self.inputs.link.fresh(self.config.stale_s)

    @cached_property
    def battery(self) -> Battery | None:
        """The battery, if known."""
        return self.inputs.battery.fresh(self.config.stale_s)

    @cached_property
    def pack(self) -> PackLimits:
        """The limits of the battery, for its cells."""
        battery = self.inputs.battery.value
        return self.config.pack(REFERENCE_CELLS if battery is None else battery.cells)

    @cached_property
    def thermal(self) -> Thermal | None:
        """The computer's temperature and its rate, if known."""
        return self.inputs.thermal.fresh(self.config.stale_s)

    @cached_property
    def session(self) -> Session | None:
        """The tunnel's session, if known."""
        return self.inputs.session.fresh(self.config.stale_s)

    @cached_property
    def phase_renews(self) -> bool:
        """Whether the phase of the mission allows renewals; an unknown one does."""
        phase = self.inputs.phase.fresh(self.config.stale_s)
        return phase is None or phase.renews

    @cached_property
    def computer(self) -> Computer | None:
        """The load of the computer, if known."""
        return self.inputs.computer.fresh(self.config.stale_s)

    @cached_property
    def held(self) -> Held | None:
        """The suite that the operator holds, if any."""
        held = self.inputs.held
        return held if held is not None and self.now_s < held.until_s else None

    @cached_property
    def disarmed(self) -> bool:
        """Whether the vehicle is known to be disarmed."""
        return self.inputs.armed.fresh(self.config.stale_s) is False

    @cached_property
    def current(self) -> Suite | None:
        """The suite in use, if there is a session."""
        return find_suite(self.session.suite) if self.session is not None else None

    @cached_property
    def voltage_v(self) -> float | None:
        """Voltage of the pack, if known."""
        return known(self.battery.voltage_v) if self.battery is not None else None

    @cached_property
    def temperature_c(self) -> float | None:
        """Temperature of the computer, if known."""
        return known(self.thermal.temperature_c) if self.thermal is not None else None

    @cached_property
    def gap_s(self) -> float | None:
        """95th percentile of the spacing of datagrams, if known."""
        return known(self.link.gap_p95_s) if self.link is not None else None

    @cached_property
    def loss(self) -> float | None:
        """Share of the datagrams that are lost, if known."""
        return known(self.link.loss) if self.link is not None else None

    @cached_property
    def rtt_s(self) -> float | None:
        """Round-trip time, if known."""
        return known(self.link.rtt_s) if self.link is not None else None

    @property
    def link_bad(self) -> bool:
        """Whether the link is bad at this moment."""
        return (
            (self.gap_s is not None and self.gap_s > self.config.link_gap_s)
            or (self.loss is not None and self.loss > self.config.link_loss)
            or (self.rtt_s is not None and self.rtt_s > self.config.link_rtt_s)
        )

    @property
    def under_attack(self) -> bool:
        """Whether the advisor sees an attack at this moment."""
        return self.inputs.advisor.fresh(self.config.stale_s) is Verdict.ATTACK

    @property
    def attack_class(self) -> str:
        """The class of attack that the newest verdict names; without one, that of before.

        Empty: none was named since the attack began.
        """
        before = self.state.attack_class if self.state.levels.advisor else ""
        return self.inputs.attack_class.fresh(self.config.stale_s) or before

    @property
    def response(self) -> Response | None:
        """What the class of the present attack asks for; None without an attack."""
        return response_to(self.state.attack_class) if self.state.levels.advisor else None

    @property
    def attack_text(self) -> str:
        """The class of the present attack in brackets; empty if it is not known."""
        return f" ({self.state.attack_class})" if self.state.attack_class else ""

    @property
    def warned(self) -> bool:
        """Whether another drone of the fleet has reported an attack lately."""
        return self.inputs.warned.fresh(self.config.warned_s) is not None

    @property
    def pressed(self) -> bool:
        """Whether anything at this moment may ask for a lighter suite, or is close to it.

        What is unknown may press.
        """
        return (
            self.anything_unknown
            or self.link_bad
            or self.stressed
            or self.emergency
            or self.near_emergency
            or self.under_attack
            or bool(self.state.levels.active)
        )

    @property
    def stressed(self) -> bool:
        """Whether temperature or voltage change too fast at this moment."""
        heating = known(self.thermal.rate_c_per_min) if self.thermal is not None else None
        sagging = known(self.battery.rate_mv_per_min) if self.battery is not None else None
        return (heating is not None and heating > self.config.stress_c_per_min) or (
            sagging is not None and sagging < self.pack.stress_mv_per_min
        )

    @property
    def low_voltage(self) -> bool:
        """Whether the battery is nearly empty at this moment, or only under load."""
        return self.voltage_v is not None and self.voltage_v < self.pack.emergency_v

    @property
    def too_hot(self) -> bool:
        """Whether the computer is too hot at this moment."""
        limit_c = self.config.emergency_temperature_c
        return self.temperature_c is not None and self.temperature_c > limit_c

    @property
    def emergency(self) -> bool:
        """Whether the battery is nearly empty or the computer too hot at this moment."""
        return self.low_voltage or self.too_hot

    @property
    def near_emergency(self) -> bool:
        """Whether voltage or temperature are too close to an emergency for an upgrade."""
        cool_c = self.config.emergency_temperature_c - self.config.calm_temperature_c
        return (self.voltage_v is not None and self.voltage_v < self.pack.calm_v) or (
            self.temperature_c is not None and self.temperature_c > cool_c
        )

    def age_s(self, at_s: float | None) -> float | None:
        """Return the seconds since a time; None without one."""
        return None if at_s is None else self.now_s - at_s

    def lasted_s(self, condition: str) -> float | None:
        """Return for how long a condition has held: that of a rule, or one of observe.py."""
        return self.age_s(self.state.since.get(condition))

    def since_switch_s(self, condition: str) -> float | None:
        """Return for how long a condition has held since the latest switch."""
        lasted_s, switched_s = self.lasted_s(condition), self.age_s(self.state.switched_at_s)
        return lasted_s if lasted_s is None or switched_s is None else min(lasted_s, switched_s)

    @property
    def episode_is_spent(self) -> str:
        """That this episode has had all its steps down, as a clause; empty if it has not."""
        limit = self.config.step_down_limit
        if self.state.steps_down < limit:
            return ""
        return f"{counted(limit, 'step')} down are the limit of one episode."
