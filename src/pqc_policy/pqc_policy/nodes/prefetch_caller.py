# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the tunnel to fetch a KEM's key in the background."""

from __future__ import annotations

from functools import partial

from rclpy.node import Node
from rclpy.task import Future

from pqc_msgs.srv import Prefetch
from pqc_policy.policy.decision import Decision
from pqc_policy.shown_text import shown


class PrefetchCaller:
    """Calls `prefetch`; the policy sees the progress in the status, and asks again without any."""

    def __init__(self, node: Node) -> None:
        self._logger = node.get_logger()
        self._client = node.create_client(Prefetch, "prefetch")
        self._call: Future | None = None

    def request(self, decision: Decision) -> None:
        """Ask for a decision's key, in place of a call that was never answered."""
        if not decision.prefetch or not self._client.service_is_ready():
            return
        if self._call is not None:
            self._client.remove_pending_request(self._call)
        self._call = self._client.call_async(Prefetch.Request(suite=decision.prefetch))
        self._call.add_done_callback(partial(self._answered, decision.prefetch))

    def _answered(self, suite: str, call: Future) -> None:
        if call is not self._call:
            return
        self._call = None
        answer = call.result() if call.exception() is None else None
        if answer is None or not answer.success:
            why = shown(answer.message) if answer is not None else str(call.exception())
            self._logger.warning(f"The key of {suite} is not fetched: {why.rstrip('.')}.")
