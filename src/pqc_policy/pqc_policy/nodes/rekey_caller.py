# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests the rekeys of the decisions from the tunnel, one at a time."""

from __future__ import annotations

from functools import partial

from rclpy.node import Node
from rclpy.task import Future

from pqc_msgs.srv import Rekey
from pqc_policy.policy.decision import Decision
from pqc_policy.shown_text import shown


class RekeyCaller:
    """Calls `rekey`. The answer is only logged: the policy sees the result in the session."""

    def __init__(self, node: Node) -> None:
        self._logger = node.get_logger()
        self._client = node.create_client(Rekey, "rekey")
        self._waiting: Decision | None = None
        self._waiting_logged = False
        self._call: Future | None = None
        self._called: Decision | None = None
        self._called_s = 0.0
        self.newest_answer = "none yet"

    @property
    def waiting_suite(self) -> str | None:
        """Id of the suite of the request that waits for the service; None without one."""
        return self._waiting.to_suite if self._waiting is not None else None

    @property
    def available(self) -> bool:
        return bool(self._client.service_is_ready())

    @property
    def trouble(self) -> str | None:
        """Why a rekey can't be requested, as a sentence; None if it can, or none is waiting."""
        if self._waiting is None or self._call is not None or self.available:
            return None
        return f"The tunnel's rekey service is not available; {self.waiting_suite} waits for it."

    def request(self, decision: Decision) -> None:
        """Request a decision's rekey as soon as possible, in place of one that still waits."""
        if decision.to_suite is not None:
            self._waiting = decision
            self._waiting_logged = False

    def reset(self) -> None:
        """Drop the request that waits; a call under way continues."""
        self._waiting = None

    def step(self, expected: str | None, now_s: float, limit_s: float) -> None:
        """Call the service if possible; `expected` is the suite that the policy waits for."""
        self._abandon_dead_call(now_s, limit_s)
        if self.waiting_suite not in (None, expected):
            self._waiting = None
        if self._waiting is None or self._call is not None:
            return
        if not self.available:
            if not self._waiting_logged:
                self._waiting_logged = True
                self._logger.warning(f"{self.trouble}")
            return
        request, self._waiting = self._waiting, None
        self._called, self._called_s = request, now_s
        # A ratchet names no suite: it keeps the one in use.
        message = Rekey.Request(
            suite="" if request.ratchet else request.to_suite,
            reason=f"{request.rule}: {request.reason}",
            ratchet=request.ratchet,
            one_time_key=request.one_time_key,
        )
        self._call = self._client.call_async(message)
        self._call.add_done_callback(partial(self._answered, request))

    def _abandon_dead_call(self, now_s: float, limit_s: float) -> None:
        if self._call is None or self._called is None:
            return
        if not self.available:
            why = "the tunnel's rekey service is gone"
        elif not 0 <= now_s - self._called_s <= limit_s:
            why = f"no answer within {limit_s:g} s"
        else:
            return
        call, self._call = self._call, None
        self._client.remove_pending_request(call)
        self._log(self._called, False, why)

    def _answered(self, request: Decision, call: Future) -> None:
        if call is not self._call:
            return
        self._call = None
        if call.exception() is not None:
            self._log(request, False, str(call.exception()))
        elif call.result() is not None:
            self._log(request, call.result().success, call.result().message)

    def _log(self, request: Decision, success: bool, message: str) -> None:
        done = "done" if success else "failed"
        self.newest_answer = f"Rekey to {request.to_suite} {done}: {shown(message).rstrip('.')}."
        if success:
            self._logger.info(self.newest_answer)
        else:
            self._logger.warning(self.newest_answer)
