# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the ground station asks of a drone's programs, and what they answer."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import IntEnum

from pqc_msgs.srv import CapturePower, HoldSuite
from pqc_policy.messages import names
from pqc_policy.messages.content import MOST_BYTES, Kind, Message, is_visible
from pqc_policy.policy.inputs import hold_request_fault
from pqc_policy.policy.suites import find_suite
from pqc_policy.sensing.computer.power_capture import capture_fault

LONGEST_NAME = 40  # of a capture
LONGEST_TEXT = 250  # of an answer; what is longer is cut

_HEADER = struct.Struct(">IBB")
_HOLD = struct.Struct(">5sI")
_CAPTURE = struct.Struct(">IHB")
_ANSWER = struct.Struct(">IBIIIBB")
_HOLD_REQUEST, _CAPTURE_REQUEST = 1, 2
_LONGEST_PART = MOST_BYTES - _ANSWER.size
_RATE_STEPS, _MILLI = 10, 1000
_MOST_16, _MOST_32 = 0xFFFF, 0xFFFFFFFF


Wish = HoldSuite.Request | CapturePower.Request


@dataclass(frozen=True)
class Request:
    """A request, repeated until it is answered; the drone carries out each id once."""

    id: int
    text_from: int  # this much of the answer's text is here already
    wish: Wish


class State(IntEnum):
    """How far a request is."""

    UNDER_WAY = 1
    DONE = 2
    REFUSED = 3  # or it has failed; the text says why


@dataclass(frozen=True)
class Answer:
    """What a drone answers."""

    state: State = State.UNDER_WAY
    text: str = ""  # one sentence for a person
    samples: int = 0  # of a capture, as are the next two
    seconds: float = 0.0
    energy_j: float = 0.0


@dataclass(frozen=True)
class Piece:
    """An answer with the part of its text that one message has room for."""

    id: int
    answer: Answer  # its text is the part
    text_size: int  # of the whole text
    text_from: int  # where the part begins


def request_message(request: Request) -> Message:
    wish = request.wish
    time = _whole(wish.seconds * _MILLI)
    if isinstance(wish, HoldSuite.Request):
        unknown = wish.suite and find_suite(wish.suite) is None  # not a release
        suite = names.UNKNOWN_SUITE if unknown else names.suite_code(wish.suite)
        what, body = _HOLD_REQUEST, _HOLD.pack(suite, time)
    else:
        name = wish.name.encode("ascii", "replace")[:LONGEST_NAME]
        rate = min(_whole(wish.rate_hz * _RATE_STEPS), _MOST_16)
        what, body = _CAPTURE_REQUEST, _CAPTURE.pack(time, rate, len(name)) + name
    return Message(Kind.REQUEST, _HEADER.pack(request.id, request.text_from, what) + body)


def read_request(content: bytes) -> Request | None:
    if len(content) < _HEADER.size:
        return None
    request_id, text_from, what = _HEADER.unpack_from(content)
    read = {_HOLD_REQUEST: _read_hold, _CAPTURE_REQUEST: _read_capture}.get(what)
    wish = read(content[_HEADER.size :]) if read is not None else None
    return None if wish is None else Request(request_id, text_from, wish)


def _read_hold(body: bytes) -> HoldSuite.Request | None:
    if len(body) < _HOLD.size:
        return None
    code, time = _HOLD.unpack_from(body)
    # The policy refuses a suite that is unknown here.
    suite = "" if code == names.NO_SUITE else names.suite_id(code) or names.OTHER
    return HoldSuite.Request(suite=suite, seconds=time / _MILLI)


def _read_capture(body: bytes) -> CapturePower.Request | None:
    if len(body) < _CAPTURE.size:
        return None
    time, rate, size = _CAPTURE.unpack_from(body)
    name = body[_CAPTURE.size : _CAPTURE.size + size]
    if not 0 < len(name) == size <= LONGEST_NAME or not is_visible(name):
        return None
    text = name.decode("ascii")
    return CapturePower.Request(seconds=time / _MILLI, rate_hz=rate / _RATE_STEPS, name=text)


def answer_message(request_id: int, answer: Answer, text_from: int) -> Message:
    """Return the message with the part of an answer's text that begins where it is asked to."""
    # Signs that a terminal might take for orders, and letters of more than a byte, don't travel.
    shown = (one if " " <= one < "\x7f" else "?" for one in answer.text[:LONGEST_TEXT])
    text = "".join(shown).encode("ascii")
    head = _ANSWER.pack(
        request_id,
        answer.state,
        min(answer.samples, _MOST_32),
        _whole(answer.seconds * _MILLI),
        _whole(answer.energy_j * _MILLI),
        len(text),
        text_from,
    )
    return Message(Kind.ANSWER, head + text[text_from : text_from + _LONGEST_PART])


def read_piece(content: bytes) -> Piece | None:
    if len(content) < _ANSWER.size:
        return None
    request_id, state, samples, time, energy, size, text_from = _ANSWER.unpack_from(content)
    expected = min(max(size - text_from, 0), _LONGEST_PART)
    part = content[_ANSWER.size : _ANSWER.size + expected]
    if len(part) < expected or not is_visible(part, spaces=True) or state not in list(State):
        return None
    text = part.decode("ascii")
    answer = Answer(State(state), text, samples, time / _MILLI, energy / _MILLI)
    return Piece(request_id, answer, size, text_from)


def fault_of(wish: Wish) -> str | None:
    """Return why something can't be asked for, as a sentence; None if it can."""
    if isinstance(wish, HoldSuite.Request):
        return hold_request_fault(wish.suite, wish.seconds)
    if len(wish.name) > LONGEST_NAME:
        return f"The name of a capture that travels to the drone has up to {LONGEST_NAME} letters."
    return capture_fault(wish.name, wish.seconds, wish.rate_hz)


def _whole(value: float) -> int:
    """Return the nearest number that four bytes hold; 0 for what is no number."""
    return round(min(max(value, 0), _MOST_32)) if math.isfinite(value) else 0
