# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs and the state of one decision, as the rules of a strategy see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pqc_policy.policy.config import PackLimits, PolicyConfig
from pqc_policy.policy.inputs import (
    CAN_PRESS,
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

    # These follow from inputs and configuration.
    link: Link | None = field(init=False)
    battery: Battery | None = field(init=False)
    thermal: Thermal | None = field(init=False)
    session: Session | None = field(init=False)
    computer: Computer | None = field(init=False)
    pack: PackLimits = field(init=False)  # for the cells of the battery
    held: Held | None = field(init=False)  # the suite that the operator holds
    disarmed: bool = field(init=False)  # whether the vehicle is known to be so
    current: Suite | None = field(init=False)  # the suite in use, if there is a session
    voltage_v: float | None = field(init=False)  # of the pack
    temperature_c: float | None = field(init=False)  # of the computer
    gap_s: float | None = field(init=False)  # 95th percentile of the spacing of datagrams
    loss: float | None = field(init=False)  # share of the datagrams
    rtt_s: float | None = field(init=False)
    link_bad: bool = field(init=False)  # at this moment, as are the others
    low_voltage: bool = field(init=False)  # whether the battery is nearly empty, or under load
    too_hot: bool = field(init=False)  # whether the computer is
    under_attack: bool = field(init=False)  # whether the advisor sees an attack
    known: frozenset[str] = field(init=False)  # names of the inputs with a value, new enough
    missing: tuple[str, ...] = field(init=False)  # required ones: without a message, then empty

    def __post_init__(self) -> None:
        """Take the inputs that are new enough."""
        inputs, config, stale_s = self.inputs, self.config, self.config.stale_s
        link, battery = inputs.link.fresh(stale_s), inputs.battery.fresh(stale_s)
        thermal, session = inputs.thermal.fresh(stale_s), inputs.session.fresh(stale_s)
        newest, held = inputs.battery.value, inputs.held
        pack = config.pack(REFERENCE_CELLS if newest is None else newest.cells)
        voltage_v = known(battery.voltage_v) if battery is not None else None
        temperature_c = known(thermal.temperature_c) if thermal is not None else None
        gap_s = known(link.gap_p95_s) if link is not None else None
        loss = known(link.loss) if link is not None else None
        rtt_s = known(link.rtt_s) if link is not None else None
        vars(self).update(
            link=link,
            battery=battery,
            thermal=thermal,
            session=session,
            computer=inputs.computer.fresh(stale_s),
            pack=pack,
            held=held if held is not None and inputs.now_s < held.until_s else None,
            disarmed=inputs.armed.fresh(stale_s) is False,
            current=find_suite(session.suite) if session is not None else None,
            voltage_v=voltage_v,
            temperature_c=temperature_c,
            gap_s=gap_s,
            loss=loss,
            rtt_s=rtt_s,
            link_bad=(gap_s is not None and gap_s > config.link_gap_s)
            or (loss is not None and loss > config.link_loss)
            or (rtt_s is not None and rtt_s > config.link_rtt_s),
            low_voltage=voltage_v is not None and voltage_v < pack.emergency_v,
            too_hot=temperature_c is not None and temperature_c > config.emergency_temperature_c,
            under_attack=inputs.advisor.fresh(stale_s) is Verdict.ATTACK,
            known=inputs.known(stale_s),
        )
        vars(self)["missing"] = self._missing()

    def with_state(self, state: PolicyState) -> Situation:
        """Return the situation with another state; what follows from the inputs alone is kept."""
        other = object.__new__(Situation)
        vars(other).update(vars(self), state=state)
        return other

    def cost(self, suite: Suite) -> Cost:
        return self.profile.cost(suite)

    def _missing(self) -> tuple[str, ...]:
        required = self.config.required_inputs
        if self.known.issuperset(required):
            return ()
        silent = [name for name in required if not self._fresh(name)]
        empty = [name for name in required if self._fresh(name) and name not in self.known]
        return (*silent, *empty)

    @cached_property
    def anything_unknown(self) -> bool:
        """Whether a required input is unknown, or another one that was known before."""
        lost = (
            name not in self.known and getattr(self.inputs, name).value is not None
            for name in CAN_PRESS
        )
        return bool(self.missing) or any(lost)

    def _fresh(self, name: str) -> bool:
        return getattr(self.inputs, name).fresh(self.config.stale_s) is not None

    @property
    def now_s(self) -> float:
        return self.inputs.now_s

    @cached_property
    def phase_renews(self) -> bool:
        """Whether the phase of the mission allows renewals; an unknown one does."""
        phase = self.inputs.phase.fresh(self.config.stale_s)
        return phase is None or phase.renews

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
