# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps what the operator holds in a file, so that it outlives a restart of the policy."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path

from pqc_policy.policy.engine import Policy
from pqc_policy.policy.operator import hold_fault
from pqc_policy.policy.telemetry import NANOSECONDS


@dataclass(frozen=True)
class Hold:
    """A hold as the policy accepted it."""

    suite: str  # id
    stamp_ns: int  # by the ROS clock
    seconds: float  # from the stamp on

    def left_s(self, now_ns: int) -> float:
        """Return for how long it holds; less than 0 if it has ended."""
        return self.seconds - (now_ns - self.stamp_ns) / NANOSECONDS


@dataclass(frozen=True)
class HoldFile:
    """The file with the hold of one policy node."""

    path: Path

    def keep(self, hold: Hold | None) -> None:
        """Replace the hold in the file, or remove it; raises OSError."""
        if hold is None:
            self.path.unlink(missing_ok=True)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(hold)), encoding="utf-8")
        os.replace(unfinished, self.path)

    def resumed(self, policy: Policy, now_ns: int) -> tuple[Hold | None, str]:
        """Return the hold that goes on, or why one does not, as a sentence; one may have ended."""
        try:
            hold = self.kept()
        except (OSError, ValueError) as fault:
            return None, f"The operator's hold can't be read: {fault}."
        if hold is None or hold.left_s(now_ns) <= 0.0:
            return None, ""
        ahead = "The clock was set back." if now_ns < hold.stamp_ns else None
        why = ahead or hold_fault(policy, hold.suite, hold.seconds)
        return (hold, "") if why is None else (None, f"The operator's hold does not go on: {why}")

    def kept(self) -> Hold | None:
        """Return the hold in the file; None: there is none.

        Raises OSError, or ValueError for a damaged file.
        """
        try:
            content = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return None
        if not isinstance(content, Mapping):
            raise ValueError("it has no members")
        suite, stamp_ns = content.get("suite"), content.get("stamp_ns")
        seconds = content.get("seconds")
        if not isinstance(suite, str) or type(stamp_ns) is not int or type(seconds) is not float:
            raise ValueError("a member is missing or has another type")
        if not isfinite(seconds):
            raise ValueError("its time is no number")
        return Hold(suite, stamp_ns, seconds)
