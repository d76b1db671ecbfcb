# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the tunnel for what was decided: one rekey at a time, nothing that is wanted no longer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rclpy.node import Node
from rclpy.task import Future

from pqc_msgs.srv import Rekey
from pqc_policy.policy.decision import Decision


@dataclass(frozen=True)
class _Wish:
    suite: str
    reason: str


class RekeyCaller:
    """Calls `rekey`; what comes back is only told, the policy sees it in the session."""

    def __init__(self, node: Node) -> None:
        self._logger = node.get_logger()
        self._client = node.create_client(Rekey, "rekey")
        self._wish: _Wish | None = None
        self._waiting_told = False
        self._call: Future | None = None
        self._called: _Wish | None = None
        self._called_s = 0.0
        self.newest_answer = "none yet"

    @property
    def available(self) -> bool:
        """Whether the tunnel's service is there."""
        return bool(self._client.service_is_ready())

    @property
    def trouble(self) -> str | None:
        """What keeps a wanted rekey from being asked for, as a sentence."""
        if self._wish is None or self._call is not None or self.available:
            return None
        return f"The tunnel's rekey service is not there, wanted is {self._wish.suite}."

    def want(self, decision: Decision) -> None:
        """Ask for what was decided as soon as possible, instead of what was wanted before."""
        if decision.to_suite is not None:
            self._wish = _Wish(decision.to_suite, f"{decision.guard}: {decision.reason}")
            self._waiting_told = False

    def forget(self) -> None:
        """Want nothing any more; a call under way goes on."""
        self._wish = None

    def step(self, expected: str | None, now_s: float, limit_s: float) -> None:
        """Ask if possible; expected is the suite that the policy still waits for, if any."""
        self._give_up_if_dead(now_s, limit_s)
        if self._wish is not None and self._wish.suite != expected:
            self._wish = None
        if self._wish is None or self._call is not None:
            return
        if not self.available:
            if not self._waiting_told:
                self._waiting_told = True
                self._logger.warning(f"{self.trouble}")
            return
        wish, self._wish = self._wish, None
        self._called, self._called_s = wish, now_s
        self._call = self._client.call_async(Rekey.Request(suite=wish.suite, reason=wish.reason))
        self._call.add_done_callback(partial(self._answered, wish))

    def _give_up_if_dead(self, now_s: float, limit_s: float) -> None:
        if self._call is None or self._called is None:
            return
        if not self.available:
            why = "the tunnel's rekey service has gone"
        elif not 0 <= now_s - self._called_s <= limit_s:
            why = f"no answer within {limit_s:g} s"
        else:
            return
        call, self._call = self._call, None
        self._client.remove_pending_request(call)
        self._tell(self._called, False, why)

    def _answered(self, wish: _Wish, call: Future) -> None:
        if call is not self._call:
            return
        self._call = None
        if call.exception() is not None:
            self._tell(wish, False, str(call.exception()))
        elif call.result() is not None:
            self._tell(wish, call.result().success, call.result().message)

    def _tell(self, wish: _Wish, success: bool, message: str) -> None:
        done = "done" if success else "did not come about"
        self.newest_answer = f"Rekey to {wish.suite} {done}: {message.rstrip('.')}."
        if success:
            self._logger.info(self.newest_answer)
        else:
            self._logger.warning(self.newest_answer)
