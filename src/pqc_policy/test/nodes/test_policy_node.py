# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import count
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from flight import LIGHTEST, MLKEM512
from policy_graph import LATCHED, Graph, policy_process
from pqc_policy.parameter_tables import TABLES
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.replay.recorded_parameters import values_in
from rcl_interfaces.msg import ParameterEvent, ParameterType
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from recorded import MLKEM768
from ros_graph import NodeProcess, own_graph

from pqc_msgs.msg import HeldSuite, KemFetch, Layer, PolicyDecision, TunnelEvent, VehicleState
from pqc_msgs.srv import ExplainDecision, HoldSuite, SelectStrategy

FRODO = "cs-frodokem976aes-aesgcm-mldsa65"
# Each test sets the clock back behind the end of the previous one, so that the policy starts again.
_STARTS = count(1_000_000, -10_000)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    folder = tmp_path_factory.mktemp("policy")
    with own_graph(folder):
        process = policy_process(folder)
        yield process
        process.close()


@pytest.fixture(scope="module")
def shared_graph(process: NodeProcess) -> Iterator[Graph]:
    graph = Graph(process)
    yield graph
    graph.close()


@pytest.fixture
def graph(shared_graph: Graph) -> Graph:
    shared_graph.start_at(next(_STARTS))
    return shared_graph


def set_parameter(graph: Graph, name: str, value: Any) -> tuple[bool, str]:
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    (result,) = graph.call(SetParameters, "policy/set_parameters", request).results
    return result.successful, result.reason


def values_of(status: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in status.values}


def test_a_calm_flight_holds_and_publishes_its_inputs(graph: Graph) -> None:
    decision = graph.until(lambda d: d.rule == "nominal")
    assert (decision.action, decision.from_suite, decision.to_suite) == ("HOLD", MLKEM768, "")
    assert decision.inputs.battery_voltage_v == 15.6
    assert decision.inputs.power_age_s == -1.0
    assert decision.inputs.link_loss == 0.0
    status = graph.diagnosis()
    assert status.name == "policy: policy"
    assert status.level == DiagnosticStatus.OK
    assert values_of(status)["rekey service"] == "available"
    assert values_of(status)["strategy"] == "telemetry_aware"


def test_an_emergency_leads_to_a_rekey_to_the_lightest_suite_within_four_decisions(
    graph: Graph,
) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.simulated.voltage_v = 13.9
    decisions = [graph.step() for _ in range(4)]
    assert PolicyDecision.DOWN_TO_LIGHTEST in [d.action for d in decisions]
    graph.until(lambda _: graph.simulated.calls)
    (call,) = graph.simulated.calls
    assert call.suite == LIGHTEST
    assert call.reason.startswith("emergency: The battery is at 13.90 V, below 14.00 V")
    assert graph.until(lambda d: d.from_suite == LIGHTEST).action == "HOLD"


def test_a_suite_that_the_operator_holds_is_used_and_released(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    request = HoldSuite.Request(suite=MLKEM512, seconds=3600.0)
    answer = graph.call(HoldSuite, "hold_suite", request)
    assert (answer.success, answer.message) == (True, f"The policy holds {MLKEM512} for 3600 s.")
    asked = graph.until(lambda d: d.to_suite)
    assert (asked.rule, asked.to_suite, asked.event) == ("operator", MLKEM512, "operator.down")
    assert asked.inputs.held_suite == MLKEM512
    graph.until(lambda d: d.from_suite == MLKEM512 and d.rule == "operator")
    assert graph.call(HoldSuite, "hold_suite", HoldSuite.Request()).success
    graph.until(lambda d: not d.inputs.held_suite)
    wrong = graph.call(HoldSuite, "hold_suite", HoldSuite.Request(suite="cs-x", seconds=1.0))
    assert (wrong.success, wrong.message) == (False, "There is no suite cs-x.")


def test_what_others_publish_as_the_operators_hold_is_not_heard(graph: Graph) -> None:
    forged = graph.node.create_publisher(HeldSuite, "held_suite", LATCHED)
    graph.until(lambda d: d.rule == "nominal")
    for seconds in (inf, nan, 3600.0):
        message = HeldSuite(suite=MLKEM512, seconds=seconds)
        message.stamp.sec = int(graph.now_s)
        forged.publish(message)
        for _ in range(2):
            assert not graph.step().inputs.held_suite
    graph.node.destroy_publisher(forged)


def test_use_sim_time_stays_as_it_was_at_the_start(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    assert set_parameter(graph, "use_sim_time", False) == (
        False,
        "use_sim_time can't change while the node runs, because all its times would jump: start "
        "the node with it.",
    )
    assert set_parameter(graph, "use_sim_time", True) == (True, "")
    assert graph.step().rule == "nominal"


def test_the_newest_decision_is_latched_for_whoever_asks_for_its_deadline(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    late: list[PolicyDecision] = []
    asking = QoSProfile(
        depth=1,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
        deadline=Duration(seconds=4),
        liveliness_lease_duration=Duration(seconds=10),
    )
    subscription = graph.node.create_subscription(PolicyDecision, "decision", late.append, asking)
    assert graph.wait_for(lambda: late, "the latched decision")
    graph.node.destroy_subscription(subscription)


def test_phase_and_load_reach_the_decision(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.simulated.phase = VehicleState.PHASE_LANDING
    graph.simulated.load = 0.5
    decision = graph.until(lambda d: d.inputs.phase)
    assert decision.inputs.phase == "landing"
    assert decision.inputs.computer_load == 0.5


def test_a_layer_is_fetched_and_asked_for_and_codes_come_by_a_one_time_key(graph: Graph) -> None:
    request = SelectStrategy.Request(strategy="layered")
    assert graph.call(SelectStrategy, "/pqc/select_strategy", request).success
    simulated = graph.simulated
    simulated.suite, simulated.anchor = MLKEM768, "one_time"
    simulated.layers = [
        Layer(family="lattices", form="structured", kem="ML-KEM-768", key="ephemeral"),
        Layer(family="codes", form="goppa", kem="Classic McEliece", key="one_time"),
    ]
    fetch = KemFetch(suite=FRODO, fetch_bytes=19000, rekey_bytes=16000, fetch_s=1.0, progress=-1.0)
    simulated.fetches = [fetch]
    graph.until(lambda _: simulated.fetched)
    assert simulated.fetched[0] == FRODO
    fetch.ready = True
    graph.until(lambda d: d.action == "LAYER")
    graph.until(lambda d: d.from_suite == FRODO)
    assert simulated.calls[-1].suite == FRODO
    plain = Layer(family="lattices", form="plain", kem="FrodoKEM-976", key="ephemeral")
    simulated.layers.append(plain)
    graph.until(lambda d: d.from_suite == MLKEM768)
    simulated.layers[1].age_s = 200.0
    graph.until(lambda _: simulated.calls[-1].one_time_key)
    assert simulated.calls[-1].ratchet and not simulated.calls[-1].suite
    request = SelectStrategy.Request(strategy="telemetry_aware")
    assert graph.call(SelectStrategy, "/pqc/select_strategy", request).success


def test_after_a_failed_rekey_the_policy_chooses_another_suite(
    graph: Graph, process: NodeProcess
) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.simulated.failing = {LIGHTEST: TunnelEvent.ROLLBACK}
    graph.simulated.voltage_v = 13.9
    failed = graph.until(lambda d: d.blacklisted)
    assert failed.blacklisted == [LIGHTEST]
    assert failed.inputs.session_failed_suite == LIGHTEST
    graph.until(lambda d: d.from_suite == MLKEM512)
    assert [call.suite for call in graph.simulated.calls] == [LIGHTEST, MLKEM512]
    assert f"Rekey to {LIGHTEST} failed: The rekey failed." in process.output
    assert f"The rekey to {LIGHTEST} failed (The rekey failed); it is blacklisted" in process.output
    assert values_of(graph.diagnosis())["blacklist"].startswith(f"{LIGHTEST} for ")


def test_the_policy_logs_a_missing_rekey_service_and_requests_once_it_is_available(
    graph: Graph, process: NodeProcess
) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.offer_rekey(False)
    while values_of(graph.diagnosis())["rekey service"] == "available":
        pass
    graph.simulated.temperature_c = 81.0
    graph.until(lambda d: d.action == PolicyDecision.DOWN_TO_LIGHTEST)
    sentence = f"The tunnel's rekey service is not available; {LIGHTEST} waits for it."
    for _ in range(5):
        assert graph.step().rule == "emergency"
    status = graph.diagnosis()
    assert (status.level, status.message) == (DiagnosticStatus.WARN, sentence)
    assert process.output.count(sentence) == 1
    graph.offer_rekey()
    graph.until(lambda d: d.from_suite == LIGHTEST)
    assert [call.suite for call in graph.simulated.calls] == [LIGHTEST]


def test_the_policy_holds_with_a_reason_while_an_input_is_missing_and_then_recovers(
    graph: Graph, process: NodeProcess
) -> None:
    for topic, name in (
        ("link", "link"),
        ("battery", "battery"),
        ("thermal", "thermal"),
        ("vehicle", "armed"),
        ("status", "session"),
    ):
        graph.until(lambda d: d.rule == "nominal")
        graph.simulated.silent = frozenset({topic})
        decision = graph.until(lambda d: d.rule == "safety")
        assert decision.action == "HOLD"
        assert decision.reason.startswith(f"The newest {INPUTS[name].noun} is 2.")
        assert decision.reason in process.output
        graph.simulated.silent = frozenset()
    graph.until(lambda d: d.rule == "nominal")


def test_a_hold_by_safety_is_a_warning_in_the_diagnostics(graph: Graph) -> None:
    graph.simulated.suite = ""
    graph.until(lambda d: d.reason == "There is no session.")
    status = graph.diagnosis()
    assert (status.level, status.message) == (DiagnosticStatus.WARN, "There is no session.")


def test_suites_that_the_tunnel_cannot_use_are_not_chosen(graph: Graph) -> None:
    graph.set_suites(LIGHTEST)
    graph.until(lambda d: d.rule == "nominal" and list(d.inputs.session_barred) == [LIGHTEST])
    graph.simulated.voltage_v = 13.9
    decision = graph.until(lambda d: d.action != "HOLD")
    assert decision.to_suite == MLKEM512


def test_another_strategy_can_be_selected(graph: Graph) -> None:
    answer = graph.call(
        SelectStrategy, "select_strategy", SelectStrategy.Request(strategy="expert")
    )
    assert (answer.success, answer.strategy) == (True, "expert")
    assert graph.step().strategy == "expert"
    rejected = graph.call(
        SelectStrategy, "select_strategy", SelectStrategy.Request(strategy="bold")
    )
    assert (rejected.success, rejected.strategy) == (False, "expert")
    names = "static, layered, telemetry_aware, paper_2025, expert, rl, hybrid"
    assert f"'bold', but must be one of {names}" in rejected.message
    assert set_parameter(graph, "strategy", "telemetry_aware") == (True, "")
    assert graph.step().strategy == "telemetry_aware"


def test_a_threshold_changes_in_flight_and_the_state_is_kept(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.simulated.temperature_c = 81.0
    graph.until(lambda d: d.from_suite == LIGHTEST)
    assert set_parameter(graph, "cooldown_s", 20.0) == (True, "")
    graph.simulated.temperature_c = 55.0
    assert graph.until(lambda d: d.rule == "cooldown").reason.endswith("less than 20.0 s.")
    assert set_parameter(graph, "cooldown_s", 5.0) == (True, "")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ceiling", "cs-none", "ceiling is 'cs-none', but must be one that exists."),
        ("profile", "/nowhere.json", "The profile /nowhere.json can't be read"),
        ("profile", "/dev/zero", "The profile /dev/zero can't be read: it is no regular file."),
        ("stale_s", 1000.0, "stale_s"),
        ("settle_s", 0.5, "read-only"),
    ],
)
def test_an_invalid_change_is_rejected_with_a_reason(
    graph: Graph, name: str, value: Any, sentence: str
) -> None:
    successful, reason = set_parameter(graph, name, value)
    assert not successful
    assert sentence in reason


def test_an_explanation_names_rule_reason_and_inputs(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.simulated.voltage_v = 13.9
    graph.offer_rekey(False)
    decision = graph.until(lambda d: d.action == PolicyDecision.DOWN_TO_LIGHTEST)
    answer = graph.call(ExplainDecision, "explain", ExplainDecision.Request())
    assert answer.success
    assert answer.text.startswith(f"The policy requests a change from {MLKEM768} to {LIGHTEST}: ")
    assert decision.reason[1:] in answer.text
    assert "Decision: DOWN_TO_LIGHTEST by rule emergency of strategy telemetry_aware" in answer.text
    assert "Power: never received." in answer.text
    assert "): 13.90 V, " in answer.text and "emergency_voltage_v 14, " in answer.text
    assert f"Next: the policy waits for the rekey to {LIGHTEST}, for at most" in answer.text
    assert "\n\n" not in answer.text


def test_all_parameters_are_published_latched_and_after_each_change(graph: Graph) -> None:
    received: list[ParameterEvent] = []
    subscription = graph.node.create_subscription(
        ParameterEvent, "policy_parameters", received.append, LATCHED
    )
    graph.wait_for(lambda: received, "the parameters")
    decision = graph.until(lambda d: d.rule == "nominal")
    assert set_parameter(graph, "cooldown_s", 20.0) == (True, "")
    graph.wait_for(lambda: len(received) > 1, "the changed parameters")
    assert received[-1].node == "/pqc/policy"
    assert received[-1].stamp == decision.stamp
    values = [values_in(message) for message in received]
    assert {name: v for name, v in values[-1].items() if v != values[0][name]} == {
        "cooldown_s": 20.0
    }
    assert values[0].keys() == {entry.name for entry in TABLES["policy"]}
    assert set_parameter(graph, "cooldown_s", 5.0) == (True, "")
    graph.node.destroy_subscription(subscription)


def test_with_advise_only_the_policy_requests_nothing(graph: Graph) -> None:
    graph.until(lambda d: d.rule == "nominal")
    assert set_parameter(graph, "advise_only", True) == (True, "")
    graph.simulated.temperature_c = 81.0
    assert graph.until(lambda d: d.action != "HOLD").to_suite == LIGHTEST
    graph.step()
    assert graph.simulated.calls == []
    assert set_parameter(graph, "advise_only", False) == (True, "")


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [("advise_only", True, False), ("allowed.suites", [MLKEM768], [""])],
)
def test_a_request_that_waits_is_dropped_if_a_changed_parameter_forbids_it(
    graph: Graph, name: str, value: Any, default: Any
) -> None:
    graph.until(lambda d: d.rule == "nominal")
    graph.offer_rekey(False)
    while values_of(graph.diagnosis())["rekey service"] == "available":
        pass
    graph.simulated.temperature_c = 81.0
    assert graph.until(lambda d: d.action != "HOLD").to_suite == LIGHTEST
    assert set_parameter(graph, name, value) == (True, "")
    graph.offer_rekey()
    while values_of(graph.diagnosis())["rekey service"] != "available":
        pass
    for _ in range(3):
        graph.step()
    assert graph.simulated.calls == []
    assert set_parameter(graph, name, default) == (True, "")


def test_every_parameter_is_described(graph: Graph) -> None:
    names = ["stale_s", "allowed.suites", "strategy", "expert.rtt_high_s", "settle_s"]
    request = DescribeParameters.Request(names=names)
    described = graph.call(DescribeParameters, "policy/describe_parameters", request).descriptors
    assert all(entry.description for entry in described)
    assert described[0].floating_point_range[0].to_value == 60.0
    assert described[1].type == ParameterType.PARAMETER_STRING_ARRAY
    assert described[4].read_only


def test_alone_on_a_real_clock_the_policy_holds_and_names_the_missing_input(tmp_path: Path) -> None:
    with own_graph(tmp_path):
        process = policy_process(tmp_path, sim_time=False)
        graph = Graph()
        try:
            decision = graph.wait_for(lambda: graph.decisions and graph.decisions[0], "a decision")
            assert (decision.action, decision.rule) == ("HOLD", "safety")
            assert decision.reason == "No status of the tunnel has been received."
            assert decision.stamp.nanosec == 0
            assert process.stop(signal.SIGINT) == 0
            assert "Traceback" not in process.output
            assert f"HOLD by safety: {decision.reason}" in process.output
        finally:
            graph.close()
            process.close()


def test_simulated_time_without_a_clock_is_reported(tmp_path: Path) -> None:
    with own_graph(tmp_path):
        process = policy_process(tmp_path, sim_time=True)
        graph = Graph()
        found: list[DiagnosticStatus] = []

        def take(array: DiagnosticArray) -> None:
            found.extend(status for status in array.status if status.name == "policy: clock")

        graph.node.create_subscription(DiagnosticArray, "/diagnostics", take, 10)
        try:
            status = graph.wait_for(lambda: found and found[0], "a diagnosis of the clock")
            assert status.level == DiagnosticStatus.WARN
            assert "no /clock arrives" in status.message
            assert process.output.count("no /clock arrives") == 1
        finally:
            graph.close()
            process.close()
