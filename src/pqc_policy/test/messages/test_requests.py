# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from message_examples import CAPTURE, HOLD, LIGHTEST, capture, hold
from pqc_policy.messages.content import MOST_BYTES, Kind
from pqc_policy.messages.requests import (
    LONGEST_NAME,
    Answer,
    Piece,
    Request,
    State,
    Wish,
    answer_message,
    fault_of,
    read_piece,
    read_request,
    request_message,
)

NAN, INFINITE = math.nan, math.inf


def content_of(wish: Wish) -> bytes:
    return request_message(Request(1, 0, wish)).content


def piece_of(answer: Answer, text_from: int = 0) -> Piece:
    piece = read_piece(answer_message(7, answer, text_from).content)
    assert piece is not None
    return piece


@pytest.mark.parametrize(
    "wish",
    [HOLD, hold(""), hold("other", 1.0), CAPTURE, capture(1.0, 0.0, LONGEST_NAME * "x")],
)
def test_a_request_is_read_as_it_was_written(wish: Wish) -> None:
    request = Request(0xDEADBEEF, 45, wish)
    message = request_message(request)
    assert message.kind == Kind.REQUEST
    assert read_request(message.content) == request


def test_a_request_has_the_bytes_of_the_specification() -> None:
    hold = "000000010001010102010100016184"
    capture = "0000000100020000753009c90b" + b"hover-7.csv".hex()
    assert (content_of(HOLD).hex(), content_of(CAPTURE).hex()) == (hold, capture)


def test_a_hold_of_a_suite_that_is_unknown_here_is_no_release() -> None:
    content = bytearray(content_of(HOLD))
    content[6] = 99
    request = read_request(bytes(content))
    assert request.wish == hold("other", 90.5)


@pytest.mark.parametrize("rate_hz", [NAN, INFINITE])
def test_a_rate_that_is_no_number_asks_for_the_highest(rate_hz: float) -> None:
    request = read_request(content_of(capture(1.0, rate_hz, "a")))
    assert request.wish == capture(1.0, 0.0, "a")


@pytest.mark.parametrize("letter", b"\0\x1b \x7f\x80\xff")
def test_a_name_that_no_terminal_shows_is_ignored(letter: int) -> None:
    whole = content_of(capture(1.0, 0.0, "name"))
    assert read_request(whole[:-1] + bytes((letter,))) is None
    assert fault_of(capture(1.0, 0.0, chr(letter)))


def test_a_name_has_a_length_that_fits() -> None:
    whole = content_of(capture(1.0, 0.0, LONGEST_NAME * "x"))
    place = len(whole) - LONGEST_NAME - 1
    for size in (0, LONGEST_NAME + 1):
        assert read_request(whole[:place] + bytes((size,)) + whole[place + 1 :] + b"x") is None
    assert fault_of(capture(1.0, 0.0, (LONGEST_NAME + 1) * "x"))
    assert fault_of(capture(1.0, 0.0, LONGEST_NAME * "x")) is None


@pytest.mark.parametrize("wish", [HOLD, CAPTURE])
def test_a_request_that_is_cut_or_for_something_else_is_ignored(wish: Wish) -> None:
    whole = content_of(wish)
    assert all(read_request(whole[:size]) is None for size in range(len(whole)))
    assert read_request(whole[:5] + b"\x4d" + whole[6:]) is None
    assert read_request(whole + b"\x07") is not None, "bytes of a later version"


def test_what_makes_no_sense_has_a_fault() -> None:
    assert fault_of(hold("cs-none", 9.0)) == "There is no suite cs-none."
    for wish in (hold(""), HOLD, CAPTURE, capture(5.0, 0.0, "hover")):
        assert fault_of(wish) is None
    for seconds in (0.0, -1.0, 86401.0, NAN):
        assert fault_of(hold(LIGHTEST, seconds))
    assert fault_of(capture(0.0, 0.0, "hover")) == "A capture takes more than 0 and at most 3600 s."


def test_an_answer_is_read_as_it_was_written() -> None:
    answer = Answer(State.DONE, "Done.", 12000, 12.345, 51.25)
    message = answer_message(7, answer, 0)
    assert message.kind == Kind.ANSWER
    assert message.content.hex() == "000000070200002ee0000030390000c8320500446f6e652e"
    assert piece_of(answer) == Piece(7, answer, 5, 0)


def test_what_no_terminal_shows_is_replaced_in_an_answer() -> None:
    text = "a\x1b[2J\x1f\x7f\x80 ~"
    assert piece_of(Answer(State.REFUSED, text)).answer.text == "a?[2J??? ~"
    whole = answer_message(7, Answer(State.REFUSED, "abc"), 0).content
    for hidden in b"\x1b\x1f\x7f\x80":
        assert read_piece(whole[:-1] + bytes((hidden,))) is None
    for visible in b" ~":
        assert read_piece(whole[:-1] + bytes((visible,))) is not None


def test_a_piece_that_is_cut_or_of_an_unknown_state_is_ignored() -> None:
    whole = answer_message(7, Answer(State.REFUSED, "abc"), 0).content
    assert all(read_piece(whole[:size]) is None for size in range(len(whole)))
    known = [read_piece(whole[:4] + bytes((state,)) + whole[5:]) is not None for state in range(6)]
    assert known == [False, True, True, True, False, False]


def test_a_piece_begins_where_it_is_asked_to_even_beyond_the_end() -> None:
    for text_from in range(256):
        piece = piece_of(Answer(State.REFUSED, 300 * "x"), text_from)
        assert (piece.text_size, piece.text_from) == (250, text_from)
        assert len(piece.answer.text) == min(max(250 - text_from, 0), 45)


@given(st.binary(max_size=MOST_BYTES))
def test_any_bytes_are_a_request_an_answer_or_none(content: bytes) -> None:
    request = read_request(content)
    if request is not None:
        assert read_request(request_message(request).content) == request
    read_piece(content)
