# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from message_examples import CAPTURE, HOLD
from pqc_policy.messages.asker import (
    FIRST_PAUSE_S,
    MOST_ASKED,
    MOST_KNOWN,
    PATIENCE_S,
    PATIENCE_UNDER_WAY_S,
    Answerer,
    Asker,
)
from pqc_policy.messages.content import Message
from pqc_policy.messages.requests import (
    Answer,
    Piece,
    Request,
    State,
    Wish,
    answer_message,
    read_piece,
    read_request,
)

DONE = Answer(State.DONE, "The policy holds.")
UNDER_WAY = Answer()


def piece_of(request_id: int, answer: Answer, text_from: int = 0) -> Piece:
    piece = read_piece(answer_message(request_id, answer, text_from).content)
    assert piece is not None
    return piece


def always() -> bool:
    return True


class Asking:
    """Both ends, and a drone that takes `work_s` to carry out a request."""

    def __init__(self) -> None:
        self.asker, self.answerer = Asker(1000), Answerer()
        self.now_s = 500.0
        self.work_s = 0.0
        self.answer = DONE
        self.carried_out: list[Request] = []
        self.asked = 0
        self._begun_s: float | None = None

    def ask(self, wish: Wish = HOLD) -> int:
        request_id = self.asker.ask(wish, self.now_s)
        assert request_id is not None
        return request_id

    def take(self, request_id: int, answer: Answer, text_from: int = 0) -> None:
        self.asker.take(piece_of(request_id, answer, text_from), self.now_s)

    def ended(self) -> list[tuple[int, bool, Answer]]:
        return list(self.asker.ended(self.now_s))

    def run(self, longest_s: float, carried: Callable[[], bool] = always) -> tuple[bool, Answer]:
        """Return how the next request ends; raise if none does."""
        end_s = self.now_s + longest_s
        while self.now_s <= end_s:
            message = self.asker.message(self.now_s)
            if message is not None:
                self.asked += 1
                if carried():
                    self._arrive(message, carried)
            if self._begun_s is not None and self.now_s >= self._begun_s + self.work_s:
                self._begun_s = None
                self._deliver(self.answerer.finish(self.carried_out[-1].id, self.answer), carried)
            for _, answered, answer in self.ended():
                return answered, answer
            self.now_s += 0.05
        raise AssertionError("no request has ended")

    def _arrive(self, message: Message, carried: Callable[[], bool]) -> None:
        request = read_request(message.content)
        assert request is not None
        answer = self.answerer.take(request, self.now_s)
        if answer is None:
            self.carried_out.append(request)
            self._begun_s = self.now_s
        self._deliver(answer, carried)

    def _deliver(self, message: Message | None, carried: Callable[[], bool]) -> None:
        if message is not None and carried():
            piece = read_piece(message.content)
            assert piece is not None
            self.asker.take(piece, self.now_s)


@pytest.fixture
def asking() -> Asking:
    return Asking()


def test_a_request_is_answered_at_once_on_a_good_link(asking: Asking) -> None:
    asking.ask()
    assert asking.run(0.1) == (True, DONE)
    assert asking.asked == 1
    assert asking.carried_out == [Request(1000, 0, HOLD)]


def test_a_request_that_is_never_answered_ends(asking: Asking) -> None:
    asking.ask()
    assert asking.run(60.0, lambda: False) == (False, UNDER_WAY)
    assert asking.now_s == pytest.approx(500.0 + PATIENCE_S, abs=0.1)
    assert 8 <= asking.asked <= 12


def test_a_request_is_carried_out_once_although_half_of_the_messages_are_lost(
    asking: Asking,
) -> None:
    chance = random.Random(7)
    answered = 0
    for turn in range(50):
        asking.answer = Answer(State.DONE, f"Round {turn}" + 4 * turn * ".")
        before = len(asking.carried_out)
        asking.ask()
        whole, answer = asking.run(60.0, lambda: chance.random() < 0.5)
        assert len(asking.carried_out) <= before + 1
        assert answer == asking.answer or not whole
        answered += whole
    assert answered >= 40


def test_a_long_text_comes_in_pieces(asking: Asking) -> None:
    asking.answer = Answer(State.REFUSED, 200 * "x" + "end.")
    asking.ask()
    assert asking.run(10.0) == (True, asking.answer)
    assert asking.asked == 5


def test_a_drone_that_has_begun_is_asked_now_and_then(asking: Asking) -> None:
    asking.work_s = 300.0
    asking.answer = Answer(State.DONE, "Captured.", 30000, 300.0, 1234.5)
    asking.ask(CAPTURE)
    assert asking.run(400.0) == (True, asking.answer)
    assert asking.asked <= 35


def test_a_drone_that_falls_silent_while_it_works_is_given_up(asking: Asking) -> None:
    asking.work_s = 300.0
    asking.ask(CAPTURE)
    answered, _ = asking.run(400.0, lambda: asking.now_s < 520.0)
    assert not answered
    assert asking.now_s <= 520.1 + PATIENCE_UNDER_WAY_S


def test_several_requests_wait_for_each_other_and_too_many_are_refused(asking: Asking) -> None:
    for _ in range(MOST_ASKED):
        asking.ask()
    assert asking.asker.ask(HOLD, asking.now_s) is None
    assert all(asking.run(20.0) == (True, DONE) for _ in range(MOST_ASKED))
    assert len(asking.carried_out) == MOST_ASKED


def test_an_answer_that_is_late_or_to_another_request_changes_nothing(asking: Asking) -> None:
    request_id = asking.ask()
    asking.take(request_id + 1, DONE)
    assert asking.ended() == []
    asking.take(request_id, DONE)
    asking.take(request_id, UNDER_WAY)
    assert asking.ended() == [(request_id, True, DONE)]


def test_an_answer_is_put_together_from_pieces_in_their_order_each_once(asking: Asking) -> None:
    request_id = asking.ask()
    before, answer = Answer(State.REFUSED, 120 * "x"), Answer(State.REFUSED, 90 * "y" + "end")
    for text_from in (0, 0, 90, 45):
        asking.take(request_id, before, text_from)
    assert asking.ended() == [], "its end is missing"
    # The drone was started again, and says something else.
    for text_from in (0, 45):
        asking.take(request_id, answer, text_from)
    assert asking.ended() == []
    asking.take(request_id, answer, 90)
    assert asking.ended() == [(request_id, True, answer)]


def test_a_word_that_it_has_begun_changes_nothing_once_the_answer_comes(asking: Asking) -> None:
    request_id = asking.ask()
    answer = Answer(State.DONE, 60 * "x")
    asking.take(request_id, answer)
    asking.take(request_id, UNDER_WAY)
    asking.take(request_id, answer, 45)
    assert asking.ended() == [(request_id, True, answer)]


def test_the_answer_replaces_what_was_said_before_and_nothing_replaces_it(asking: Asking) -> None:
    request_id = asking.ask()
    asking.take(request_id, Answer(State.UNDER_WAY, "xyz"))
    asking.take(request_id, Answer(State.DONE, "abc"))
    asking.take(request_id, Answer(State.REFUSED, "Not so."))
    assert asking.ended() == [(request_id, True, Answer(State.DONE, "abc"))]


def test_a_request_whose_answer_breaks_off_ends_and_is_repeated_no_more(asking: Asking) -> None:
    asking.take(asking.ask(), Answer(State.DONE, 100 * "x"))
    end_s = asking.now_s + PATIENCE_S
    assert list(asking.asker.ended(end_s - 0.001)) == []
    assert asking.asker.message(end_s - 0.001) is not None
    assert asking.asker.message(end_s + 0.5) is None
    ((_, answered, _),) = asking.asker.ended(end_s)
    assert not answered
    asking.asker.ask(HOLD, end_s)
    assert asking.asker.message(end_s + PATIENCE_S) is None, "at the end"


def test_what_is_answered_is_asked_no_more_and_holds_nothing_up(asking: Asking) -> None:
    assert asking.asker.message(asking.now_s) is None, "nothing was asked"
    first, second = asking.ask(), asking.ask(CAPTURE)
    asking.take(first, DONE)
    message = asking.asker.message(asking.now_s)
    request = read_request(message.content)
    assert request.id == second
    asking.take(second, DONE)
    asking.now_s += FIRST_PAUSE_S
    assert asking.asker.message(asking.now_s) is None
    assert [request_id for request_id, _, _ in asking.ended()] == [first, second]


def test_the_drone_forgets_the_oldest_if_all_are_under_way() -> None:
    answerer = Answerer()
    for request_id in range(MOST_KNOWN + 1):
        assert answerer.take(Request(request_id, 0, CAPTURE), 500.0 + request_id) is None
    assert answerer.finish(0, DONE) is None
    assert all(answerer.finish(one, DONE) for one in range(1, MOST_KNOWN + 1))


def test_the_drone_remembers_what_is_under_way_and_forgets_the_oldest_that_has_ended() -> None:
    answerer = Answerer()
    assert answerer.take(Request(1, 0, CAPTURE), 500.0) is None
    for request_id in range(2, 100):
        assert answerer.take(Request(request_id, 0, HOLD), 500.0 + request_id) is None
        assert answerer.finish(request_id, DONE) is not None
    assert answerer.take(Request(1, 0, CAPTURE), 600.0) is not None
    assert answerer.finish(2, DONE) is None, "forgotten"


def test_the_drone_refuses_what_is_too_much_and_forgets_nothing_for_it() -> None:
    answerer = Answerer()
    answers = [answerer.take(Request(one, 0, CAPTURE), 500.0) for one in range(1000)]
    assert answers.count(None) == MOST_KNOWN
    pieces = [read_piece(answer.content) for answer in answers if answer is not None]
    assert {piece.answer.state for piece in pieces if piece is not None} == {State.REFUSED}
    assert answerer.take(Request(0, 0, CAPTURE), 500.0) is not None
    assert answerer.take(Request(1000, 0, HOLD), 501.0) is None
