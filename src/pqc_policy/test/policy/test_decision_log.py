# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

from flight import LIGHTEST, MLKEM768, take_off
from pqc_policy.policy.explain.decision_log import DecisionLog, Line, fold, summary_of
from recorded import made


def decided(t: float, action: str, rule: str, reason: str, **suites: str) -> Any:
    return made("decision", t, action=action, rule=rule, reason=reason, **suites)


def fold_messages(messages: list[Any], origin_s: float | None = None) -> list[Line]:
    log = DecisionLog(origin_s)
    for message in messages:
        log.add(summary_of(message))
    return log.lines


def test_a_run_of_holds_by_one_rule_is_one_line_with_its_first_reason() -> None:
    messages = [
        decided(1000, "HOLD", "safety", "The newest link is 2.1 s old."),
        decided(1001, "HOLD", "safety", "The newest link is 3.1 s old."),
        decided(1002, "HOLD", "nominal", "No rule proposes a change."),
        decided(1003, "HOLD", "safety", "The newest link is 2.3 s old."),
    ]
    log = fold_messages(messages)
    assert [line["t"] for line in log] == [0.0, 2.0, 3.0]
    assert [line["rule"] for line in log] == ["safety", "nominal", "safety"]
    assert log[0]["reason"] == "The newest link is 2.1 s old."


def test_every_decision_other_than_hold_has_its_own_line() -> None:
    messages = [decided(1000 + n, "DOWN", "link", "A step.") for n in range(3)]
    assert len(fold_messages(messages)) == 3


def test_a_line_has_six_fields_and_absent_suites_are_none() -> None:
    (line,) = fold_messages([decided(1000, "HOLD", "safety", "There is no session.")])
    assert line == {
        "t": 0.0,
        "action": "HOLD",
        "rule": "safety",
        "from": None,
        "to": None,
        "reason": "There is no session.",
    }


def test_times_count_from_an_origin_if_there_is_one() -> None:
    messages = [decided(1005, "HOLD", "nominal", "")]
    assert fold_messages(messages, origin_s=1000.0)[0]["t"] == 5.0


def test_decisions_and_their_messages_give_the_same_log() -> None:
    flight = take_off()
    flight.fly(10)
    flight.fly(20, voltage_v=13.9)
    messages = [
        decided(
            d.t,
            d.action.value,
            d.rule,
            d.reason,
            from_suite=d.from_suite or "",
            to_suite=d.to_suite or "",
        )
        for d in flight.decisions
    ]
    log = fold(flight.decisions)
    assert log == fold_messages(messages)
    assert [(line["action"], line["from"], line["to"]) for line in log][:3] == [
        ("HOLD", MLKEM768, None),
        ("DOWN_TO_LIGHTEST", MLKEM768, LIGHTEST),
        ("HOLD", LIGHTEST, None),
    ]
