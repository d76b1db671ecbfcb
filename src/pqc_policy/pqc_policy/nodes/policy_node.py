# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`policy_node`: decides once a second which suite to use, and requests it from the tunnel."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rcl_interfaces.msg import ParameterEvent
from rclpy.duration import Duration
from rclpy.parameter import Parameter as RosParameter
from rclpy.qos import (
    DurabilityPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

from pqc_msgs.msg import (
    AdvisorVerdict,
    BatteryPrediction,
    ComputerLoad,
    FleetWarning,
    HeldSuite,
    LinkReport,
    PolicyDecision,
    PowerReading,
    SuiteList,
    ThermalReading,
    TunnelEvent,
    TunnelStatus,
    VehicleState,
)
from pqc_msgs.srv import ExplainDecision, HoldSuite, SelectStrategy
from pqc_policy.nodes.call_log import CallLog
from pqc_policy.nodes.decision_message import decision_message
from pqc_policy.nodes.doubles import Doubles, owners_of_tunnel
from pqc_policy.nodes.hold_file import Hold, HoldFile
from pqc_policy.nodes.missing_inputs import MissingInputAdvice, why_missing
from pqc_policy.nodes.node_parameters import declare, parameter_event, watch
from pqc_policy.nodes.policy_diagnostics import diagnose
from pqc_policy.nodes.prefetch_caller import PrefetchCaller
from pqc_policy.nodes.process.polled import PolledSubscription
from pqc_policy.nodes.process.steady_node import SteadyNode
from pqc_policy.nodes.rekey_caller import RekeyCaller
from pqc_policy.policy import telemetry
from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.explain.decision_log import continues
from pqc_policy.policy.explain.explain import explain
from pqc_policy.policy.guards.safety import SAFETY
from pqc_policy.policy.schedule import Schedule
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.telemetry import NANOSECONDS, Telemetry

_SHORTEST_WAIT_NS = 10_000_000
# So many messages of each input wait for a decision: those of another node don't displace the one
# that counts.
_WAITING = 2000
_LATCHED = QoSProfile(
    depth=_WAITING,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
_LATCHED_NEWEST = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# A decision comes every second: whoever asks for the deadline learns when the policy has died.
_EACH_SECOND = QoSProfile(
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    deadline=Duration(seconds=3),
    liveliness=LivelinessPolicy.AUTOMATIC,
    liveliness_lease_duration=Duration(seconds=5),
)
_READINGS = QoSProfile(depth=_WAITING, reliability=ReliabilityPolicy.BEST_EFFORT)
_INPUTS = (
    (telemetry.STATUS, TunnelStatus, _LATCHED),
    (telemetry.SUITES, SuiteList, _LATCHED),
    (telemetry.EVENTS, TunnelEvent, QoSProfile(depth=_WAITING)),
    (telemetry.LINK, LinkReport, _READINGS),
    (telemetry.BATTERY, BatteryPrediction, _READINGS),
    (telemetry.VEHICLE, VehicleState, _READINGS),
    (telemetry.THERMAL, ThermalReading, _READINGS),
    (telemetry.POWER, PowerReading, _READINGS),
    (telemetry.ADVISOR, AdvisorVerdict, _READINGS),
    (telemetry.COMPUTER, ComputerLoad, _READINGS),
    (telemetry.WARNING, FleetWarning, QoSProfile(depth=_WAITING)),
)


class PolicyNode(SteadyNode):
    """Turns messages into inputs, and decisions into messages and rekey requests."""

    def __init__(self) -> None:
        super().__init__("policy")
        self._settings = declare(self, PolicySettings)
        self._policy = self._settings.make_policy()
        watch(self, self._settings, self._reconfigure)
        self._settle_ns = round(self._settings.settle_s * NANOSECONDS)

        self._telemetry = Telemetry(self.of_stamp)
        self._schedule = Schedule()
        self._state = PolicyState()
        self._newest: tuple[Decision, PolicyDecision] | None = None
        self._missing = MissingInputAdvice(partial(why_missing, self))

        self._rekey, self._prefetch = RekeyCaller(self), PrefetchCaller(self)
        self._doubles = Doubles()
        self._calls = CallLog()
        self._decisions = self.create_publisher(PolicyDecision, "decision", _EACH_SECOND)
        self._recorded_parameters = self.create_publisher(
            ParameterEvent, telemetry.PARAMETERS, _LATCHED_NEWEST
        )
        self._inputs = [
            PolledSubscription(self, kind, topic, partial(self._take, topic), qos)
            for topic, kind, qos in _INPUTS
        ]
        self.create_service(SelectStrategy, "select_strategy", self._select_strategy)
        self.create_service(HoldSuite, "hold_suite", self._hold_suite)
        self._held = self.create_publisher(HeldSuite, telemetry.HELD, _LATCHED_NEWEST)
        self.create_service(ExplainDecision, "explain", self._explain)
        self._updater = Updater(self)
        self._updater.setHardwareID("none")
        self._updater.add("policy", self._diagnose)
        self._timer = self.create_timer(_SHORTEST_WAIT_NS / NANOSECONDS, self._step)
        config = self._policy.config
        self.get_logger().info(
            f"Strategy {config.strategy} over {len(self._policy.order.usable)} suites, "
            f"costs from {self._policy.profile.name}."
        )
        for name, value in sorted(self._policy.overridden.items()):
            self.get_logger().warning(f"The strategy sets {name} itself: {value} is not used.")
        self._publish_parameters()
        self._hold_file = self._find_hold_file()
        self._resume_hold()

    def due(self) -> bool:
        return self._timer.is_ready()

    def _publish_parameters(self) -> None:
        """Publish all parameters, for recordings; they apply after the newest decision."""
        stamp = self.get_clock().now().to_msg() if self._newest is None else self._newest[1].stamp
        self._recorded_parameters.publish(parameter_event(self, self._settings, stamp))

    def _find_hold_file(self) -> HoldFile | None:
        """Return the file of this node; None where nothing is kept.

        A simulated clock begins anew with each start, so that no hold can go on by it.
        """
        if not self._settings.state_dir or self.simulated:
            return None
        name = self.get_fully_qualified_name().strip("/").replace("/", ".")
        # Policies of the same name in two domains are those of two drones.
        file = f"{name}.{self.context.get_domain_id()}.hold.json"
        return HoldFile(Path(os.path.expanduser(self._settings.state_dir), file))

    def _resume_hold(self) -> None:
        """Publish the hold that a policy before this one has accepted, if it has not expired."""
        if self._hold_file is None:
            return
        hold, why_not = self._hold_file.resumed(self._policy)
        if why_not:
            self.get_logger().warning(why_not)
        if hold is None:
            return
        self._hold(hold)
        self.get_logger().info(
            f"The operator's hold of {hold.suite} goes on for {hold.seconds:.0f} s more."
        )

    def _hold(self, hold: Hold) -> None:
        """Hold a suite from now on; it is published for recordings, and never read from there."""
        self.flight_ns()
        stamp = self.get_clock().now().to_msg()
        message = HeldSuite(stamp=stamp, suite=hold.suite, seconds=hold.seconds)
        self._held.publish(message)
        self._telemetry.take(telemetry.HELD, message)

    def _keep_hold(self, hold: Hold) -> str:
        """Keep a hold beyond a restart, or drop it; return why that fails, empty if it does not."""
        if self._hold_file is None:
            return ""
        try:
            self._hold_file.keep(hold)
        except OSError as fault:
            return f"{fault.filename}: {fault.strerror}"
        return ""

    def _reconfigure(self, settings: PolicySettings) -> None:
        self._policy = settings.make_policy()
        self._settings = settings
        usable = {suite.id for suite in self._policy.order.usable}
        if settings.advise_only or self._rekey.waiting_suite not in {None, *usable}:
            self._rekey.reset()
        self._publish_parameters()

    def _step(self) -> None:
        now_ns = self.flight_ns()
        for one in self._inputs:
            one.poll()
        if self._schedule.set_back(now_ns):
            self.get_logger().warning("The simulation was set back: the policy starts again.")
            self._telemetry.forget_after(now_ns)
            self._state = PolicyState()
            self._newest = None
            self._rekey.reset()
            self._missing.reset()
        for at_ns in self._schedule.due(now_ns, self._settle_ns):
            self._decide(at_ns)
        pending = self._state.pending
        self._rekey.step(
            pending.target if pending is not None else None,
            now_ns / NANOSECONDS,
            pending.patience_s if pending is not None else self._policy.config.pending_s,
        )
        wait_ns = self._schedule.wait_ns(now_ns, self._settle_ns)
        self._timer.timer_period_ns = max(wait_ns, _SHORTEST_WAIT_NS)
        self._timer.reset()

    def _take(self, topic: str, message: Any) -> None:
        if not self._telemetry.take(topic, message):
            self.note_refused(topic)

    def _decide(self, at_ns: int) -> None:
        decision, self._state = self._policy.decide(self._state, self._telemetry.inputs(at_ns))
        if not self._settings.advise_only:
            self._rekey.request(decision)
            self._prefetch.request(decision)
        self._log(decision, self._newest[0] if self._newest is not None else None)
        message = decision_message(decision, at_ns + self.set_ns)
        self._decisions.publish(message)
        self._newest = decision, message
        if self._doubles.take(owners_of_tunnel(self), time.monotonic()):
            self.get_logger().warning(self._doubles.sentence)
        advice = self._missing.take(decision, self._policy.config)
        if advice is not None:
            self.get_logger().warning(advice)

    def _log(self, decision: Decision, before: Decision | None) -> None:
        if decision.cue and (before is None or not before.cue):
            self.get_logger().warning(decision.cue)
        if before is not None and _failures(decision) > _failures(before):
            self.get_logger().warning(_line(decision))
        elif decision.action is not Action.HOLD and not _repeats(before, decision):
            self.get_logger().info(_line(decision))
        elif decision.action is not Action.HOLD or (before is not None and _same(before, decision)):
            return
        elif decision.rule == SAFETY:
            self.get_logger().warning(_line(decision))
        else:
            self.get_logger().info(_line(decision))

    def _select_strategy(
        self, request: SelectStrategy.Request, response: SelectStrategy.Response
    ) -> SelectStrategy.Response:
        (result,) = self.set_parameters([RosParameter("strategy", value=request.strategy)])
        response.success = result.successful
        response.strategy = self._policy.config.strategy
        response.message = (
            f"The policy follows {response.strategy}." if result.successful else result.reason
        )
        self._log_call(response.message)
        return response

    def _hold_suite(
        self, request: HoldSuite.Request, response: HoldSuite.Response
    ) -> HoldSuite.Response:
        """Take the hold as an input, which counts from its stamp on."""
        fault = self._policy.hold_fault(request.suite, request.seconds)
        response.success = fault is None
        if fault is not None:
            response.message = fault
        else:
            hold = Hold(request.suite, request.seconds)
            self._hold(hold)
            unkept = self._keep_hold(hold)
            what = (
                f"The policy holds {request.suite} for {request.seconds:g} s"
                if request.suite
                else "The policy decides again"
            )
            response.message = (
                f"{what}, but not beyond a restart: {unkept}." if unkept else f"{what}."
            )
        self._log_call(response.message)
        return response

    def _log_call(self, text: str) -> None:
        line = self._calls.line(text, time.monotonic())
        if line is not None:
            self.get_logger().info(line)

    def _explain(
        self, request: ExplainDecision.Request, response: ExplainDecision.Response
    ) -> ExplainDecision.Response:
        if self._newest is None:
            response.text = "Nothing has been decided yet."
            return response
        response.success = True
        decision, advice = self._newest[0], self._missing.advice
        set_s = self.set_ns / NANOSECONDS
        response.text = explain(decision, self._policy, self._state, advice, set_s)
        return response

    def _diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        decision = self._newest[0] if self._newest is not None else None
        return diagnose(
            status,
            self._policy,
            self._state,
            decision,
            self._rekey,
            self._missing.advice,
            self._doubles.sentence,
        )


def _failures(decision: Decision) -> int:
    session = decision.inputs.session.value
    return session.failure.count if session is not None and session.failure is not None else 0


def _same(before: Decision, decision: Decision) -> bool:
    """Return whether a HOLD continues the one before; what is missing may change within a run."""
    if not continues(before.summary(), decision.summary()):
        return False
    return decision.rule != SAFETY or _without_numbers(decision) == _without_numbers(before)


def _repeats(before: Decision | None, decision: Decision) -> bool:
    """Return whether advice that nobody follows is repeated."""
    if before is None:
        return False
    changes = [(d.action, d.rule, d.to_suite) for d in (before, decision)]
    return changes[0] == changes[1] and decision.rule != "rekey"


def _line(decision: Decision) -> str:
    change = f", {decision.from_suite} -> {decision.to_suite}" if decision.to_suite else ""
    return f"{decision.action} by {decision.rule}{change}: {decision.reason}"


def _without_numbers(decision: Decision) -> str:
    """Return the reason without its numbers, which change every second."""
    return re.sub(r"[0-9]+", "", decision.reason)
