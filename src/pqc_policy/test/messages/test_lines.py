# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable

import pytest
from message_examples import HEAVY, LIGHT, LIGHTEST, decision, step_down
from pqc_policy.messages.content import MOST_BYTES, Kind
from pqc_policy.messages.lines import INFORMATION, WARNING, Announcer, Line, LineSender
from pqc_policy.messages.names import CUES, OTHER, cue_line

from pqc_msgs.msg import PolicyDecision

LINK = "PQC link: mlkem512-aesgcm-mldsa44"
NOW = "PQC now: mlkem512-aesgcm-mldsa44"
LOSS = "PQC loss: slow down, or heavy detectors off"
JAMMED = "PQC jammed: climb, change channel, or turn back"


class Saying:
    """An announcer that gets a decision each second."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self._announcer = Announcer()

    def line(self, told: PolicyDecision) -> Line | None:
        line = self._announcer.line(told, self.now_s)
        self.now_s += 1.0
        return line

    def text(self, told: PolicyDecision) -> str:
        line = self.line(told)
        return "" if line is None else line.text

    def hold(self, suite: str, cue_id: str = "") -> str:
        return self.text(decision("HOLD", suite, cue_id=cue_id))


@pytest.fixture
def say() -> Saying:
    return Saying()


def upgrade() -> PolicyDecision:
    return decision("UPGRADE", LIGHT, HEAVY, rule="upgrade")


def test_a_line_has_the_rule_and_the_new_suite(say: Saying) -> None:
    assert say.line(step_down()) == Line(WARNING, LINK)


def test_a_step_up_is_information(say: Saying) -> None:
    assert say.line(upgrade()) == Line(INFORMATION, "PQC upgrade: mlkem768-aesgcm-mldsa65")


def test_renewals_and_decisions_to_hold_have_no_line(say: Saying) -> None:
    assert say.hold(HEAVY) == ""
    assert say.text(decision("REKEY", HEAVY, HEAVY, rule="rekey")) == ""


def test_a_layer_and_the_way_back_have_no_line(say: Saying) -> None:
    for _ in range(3):
        assert say.text(decision("LAYER", LIGHT, HEAVY, rule="layer")) == ""
        assert [say.hold(HEAVY) for _ in range(5)] == [""] * 5
        assert say.text(decision("LAYER", HEAVY, LIGHT, rule="back")) == ""
        assert [say.hold(LIGHT) for _ in range(5)] == [""] * 5
    assert say.text(upgrade()) != ""


def test_a_change_that_is_tried_again_has_one_line(say: Saying) -> None:
    assert say.text(step_down()) == LINK
    for second in range(30):
        assert say.text(step_down() if second % 6 == 0 else decision("HOLD", HEAVY)) == ""


def test_the_same_change_has_a_line_again_after_it_was_done(say: Saying) -> None:
    assert say.text(step_down()) == LINK
    say.now_s += 60.0
    assert say.hold(LIGHT) == ""
    assert say.text(upgrade()) != ""
    say.now_s += 60.0
    assert say.hold(HEAVY) == ""
    assert say.text(step_down()) == LINK


def test_there_is_one_line_in_five_seconds_and_then_the_newest(say: Saying) -> None:
    assert say.text(upgrade()) != ""
    assert say.text(step_down()) == ""
    emergency = decision("DOWN_TO_LIGHTEST", LIGHT, LIGHTEST, rule="emergency")
    assert say.text(emergency) == ""
    assert [say.hold(LIGHTEST) for _ in range(3)] == [
        "",
        "",
        "PQC emergency: mlkem512-aesgcm-falcon512",
    ]


def test_the_suite_in_use_has_a_line_after_a_change_that_no_decision_told_of(say: Saying) -> None:
    assert say.hold(HEAVY) == "", "no change was seen"
    assert say.line(decision("HOLD", LIGHT)) == Line(INFORMATION, NOW)
    assert say.hold(LIGHT) == ""


def test_a_change_has_its_rule_although_the_suite_is_already_in_use(say: Saying) -> None:
    assert say.text(upgrade()) != ""
    assert say.text(step_down()) == "", "too early"
    say.now_s += 5.0
    assert say.hold(LIGHT) == LINK
    say.now_s += 5.0
    assert say.hold(LIGHT) == ""


def test_a_lost_session_is_no_change(say: Saying) -> None:
    assert [say.hold(HEAVY), say.hold(""), say.hold(HEAVY)] == ["", "", ""]


def test_mere_advice_has_no_line(say: Saying) -> None:
    assert say.text(step_down(asked=False)) == ""


def test_a_change_that_failed_has_a_line_again_after_a_minute_without_a_try(say: Saying) -> None:
    assert say.text(step_down()) == LINK
    say.now_s += 50.0
    assert say.text(step_down()) == ""
    say.now_s += 61.0
    assert say.text(step_down()) == LINK


def test_a_decision_that_waits_for_the_change_is_a_try(say: Saying) -> None:
    assert say.text(step_down()) == LINK
    for hold in ("under_way", "retry"):
        say.now_s += 50.0
        assert say.text(decision("HOLD", HEAVY, rule="link", hold=hold)) == ""
    say.now_s += 50.0
    assert say.text(step_down()) == ""


def test_a_cue_has_a_line_when_it_begins(say: Saying) -> None:
    assert say.hold(HEAVY) == ""
    assert say.line(decision("HOLD", HEAVY, cue_id="loss")) == Line(WARNING, LOSS)
    assert {say.hold(HEAVY, "loss") for _ in range(200)} == {""}


def test_a_cue_has_one_line_a_minute_and_another_cue_after_five_seconds(say: Saying) -> None:
    lines = [say.hold(HEAVY, "loss" if second % 2 == 0 else "") for second in range(120)]
    assert lines.count(LOSS) == 2
    assert say.hold(HEAVY, "loss") == LOSS
    assert say.hold(HEAVY, "jammed") == ""
    say.now_s += 5.0
    assert say.hold(HEAVY, "jammed") == JAMMED


def test_a_change_comes_before_a_cue_and_neither_gets_lost(say: Saying) -> None:
    both = step_down(rule="attack", cue_id="jammed")
    assert say.text(both) == "PQC attack: mlkem512-aesgcm-mldsa44"
    say.now_s += 5.0
    assert say.hold(HEAVY, "jammed") == JAMMED


def test_every_cue_has_a_line_that_fits() -> None:
    assert cue_line("") == ""
    for cue in (*CUES, OTHER):
        assert cue_line(cue).startswith(cue if cue in CUES else "cue")
        assert len(f"PQC {cue_line(cue)}") <= 50


def test_a_line_is_sent_often_and_then_now_and_then_under_one_number() -> None:
    sender = LineSender(255)
    assert sender.message(100.0) is None
    sender.tell(Line(WARNING, LINK), 100.0)
    sent = {second: sender.message(100.0 + second) for second in range(200)}
    messages = {second: message for second, message in sent.items() if message is not None}
    assert list(messages) == [*range(20), *range(20, 121, 10)]
    assert {(m.kind, m.content) for m in messages.values()} == {
        (Kind.LINE, b"\x00\x04" + LINK.encode())
    }
    sender.tell(Line(INFORMATION, "x" * 100), 300.0)
    message = sender.message(300.0)
    assert message.content == b"\x01\x06" + b"x" * 62
    assert len(message.content) == MOST_BYTES


def shown_on_a_radio(arrives: Callable[[int], bool], begins_s: int = 20) -> list[str]:
    """Return what the ground shows of a drone that decides once a second behind a slow radio.

    The tunnel sends a message of each of three kinds in turn, one in 1.6 s, and the newest of each
    kind waits. `arrives` says whether the n-th line that leaves does.
    """
    announcer, sender, shown, numbers = Announcer(), LineSender(7), [], set()
    waiting, sent, turn_s = None, 0, 0.0
    for second in range(160):
        decides = step_down() if second == begins_s else None
        in_use = HEAVY if second < begins_s + 6 else LIGHT
        line = announcer.line(decides or decision("HOLD", in_use), 100.0 + second)
        if line is not None:
            sender.tell(line, 100.0 + second)
        waiting = sender.message(100.0 + second) or waiting
        if waiting is None or second < turn_s:
            continue
        turn_s = second + 3 * 1.6
        if arrives(sent) and waiting.content[0] not in numbers:
            numbers.add(waiting.content[0])
            shown.append(waiting.content[2:].decode())
        waiting, sent = None, sent + 1
    return shown


def test_every_change_is_shown_on_a_slow_radio_with_its_rule() -> None:
    for begins_s in range(20, 30):
        assert shown_on_a_radio(lambda _: True, begins_s) == [LINK]


def test_a_change_is_shown_although_every_second_message_is_lost() -> None:
    for odd in (0, 1):
        assert shown_on_a_radio(lambda n, odd=odd: n % 2 == odd) == [LINK]


def test_a_change_is_shown_although_the_first_ten_copies_are_lost() -> None:
    assert shown_on_a_radio(lambda n: n > 9) == [LINK]
