# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station's requests to one drone, and the drone's answers to them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pqc_policy.messages.content import Message
from pqc_policy.messages.requests import (
    Answer,
    Piece,
    Request,
    State,
    Wish,
    answer_message,
    request_message,
)

PATIENCE_S = 10.0
PATIENCE_UNDER_WAY_S = 60.0
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 1.0
PAUSE_UNDER_WAY_S = 10.0
# The tunnel sends one request in this time, and a newer one would replace the one that waits.
BETWEEN_MESSAGES_S = 0.5
MOST_ASKED = 8  # at a time
# The drone remembers so many; the oldest one that has ended is forgotten first. Of new ones it
# carries out as many at once, and then one a second.
MOST_KNOWN = 16

_TOO_MANY = Answer(State.REFUSED, "Too many requests: ask again later.")
_IDS = 1 << 32


@dataclass(eq=False)
class _Asked:
    request: Request
    last_word_s: float  # of the drone, or when it was asked first
    next_s: float
    pause_s: float = FIRST_PAUSE_S
    answer: Answer | None = None
    text_size: int = 0
    complete: bool = False

    @property
    def under_way(self) -> bool:
        return self.answer is not None and self.answer.state is State.UNDER_WAY

    @property
    def end_s(self) -> float:
        return self.last_word_s + (PATIENCE_UNDER_WAY_S if self.under_way else PATIENCE_S)


@dataclass
class Asker:
    """Repeats requests until they are answered, or the drone has said nothing for too long.

    A drone that has begun is asked now and then.
    """

    next_id: int  # a random number, so that a drone takes no request for one before a restart
    _asked: list[_Asked] = field(default_factory=list)
    _next_message_s: float = 0.0

    def ask(self, wish: Wish, now_s: float) -> int | None:
        """Return the id of a request; None if too many wait already."""
        if len(self._asked) >= MOST_ASKED:
            return None
        request = Request(self.next_id, 0, wish)
        self.next_id = (self.next_id + 1) % _IDS
        self._asked.append(_Asked(request, now_s, now_s))
        return request.id

    def take(self, piece: Piece, now_s: float) -> None:
        """Take a piece of an answer; one that nobody waits for is ignored."""
        one = next((asked for asked in self._asked if asked.request.id == piece.id), None)
        if one is None or one.complete:
            return
        new = piece.answer
        if one.answer is not None and not one.under_way and new.state is State.UNDER_WAY:
            return  # it was late
        if one.answer is None or (one.answer.state, one.text_size) != (new.state, piece.text_size):
            one.answer, one.text_size = replace(new, text=""), piece.text_size
        one.last_word_s = now_s
        if piece.text_from == len(one.answer.text):
            one.answer = replace(one.answer, text=one.answer.text + new.text)
        if one.under_way:
            one.pause_s = PAUSE_UNDER_WAY_S
            one.next_s = now_s + PAUSE_UNDER_WAY_S
            one.request = replace(one.request, text_from=0)  # what comes is another text
            return
        one.request = replace(one.request, text_from=len(one.answer.text))
        one.complete = len(one.answer.text) >= one.text_size
        one.pause_s, one.next_s = FIRST_PAUSE_S, now_s

    def message(self, now_s: float) -> Message | None:
        waiting = [asked for asked in self._asked if not asked.complete]
        one = min(waiting, key=lambda asked: asked.next_s, default=None)
        if one is None or now_s < max(self._next_message_s, one.next_s) or now_s >= one.end_s:
            return None
        one.next_s = now_s + one.pause_s
        one.pause_s = max(one.pause_s, min(2 * one.pause_s, LONGEST_PAUSE_S))
        self._next_message_s = now_s + BETWEEN_MESSAGES_S
        return request_message(one.request)

    def ended(self, now_s: float) -> Iterator[tuple[int, bool, Answer]]:
        """Yield each request that has ended: its id, whether the answer is whole, and it."""
        ended = [asked for asked in self._asked if asked.complete or now_s >= asked.end_s]
        self._asked = [asked for asked in self._asked if asked not in ended]
        for one in ended:
            yield one.request.id, one.complete, one.answer or Answer()


@dataclass
class Answerer:
    """The drone's answers: each request is carried out once, however often it comes."""

    _known: deque[tuple[int, Answer]] = field(default_factory=deque)  # oldest first
    _tokens: float = float(MOST_KNOWN)
    _at_s: float = -math.inf

    def take(self, request: Request, now_s: float) -> Message | None:
        """Return the answer to send now; None: the request is new and is to be carried out."""
        answer = dict(self._known).get(request.id)
        if answer is None:
            self._tokens = min(MOST_KNOWN, self._tokens + now_s - self._at_s)
            self._at_s = now_s
            if self._tokens >= 1:
                self._tokens -= 1
                self._remember(request.id)
                return None
            answer = _TOO_MANY
        return answer_message(request.id, answer, request.text_from)

    def _remember(self, request_id: int) -> None:
        if len(self._known) == MOST_KNOWN:
            ended = (one for one in self._known if one[1].state is not State.UNDER_WAY)
            self._known.remove(next(ended, self._known[0]))
        self._known.append((request_id, Answer()))

    def finish(self, request_id: int, answer: Answer) -> Message | None:
        """Return the message of an answer; None for a request that is forgotten."""
        for place, (known, _) in enumerate(self._known):
            if known == request_id:
                self._known[place] = request_id, answer
                return answer_message(request_id, answer, 0)
        return None
