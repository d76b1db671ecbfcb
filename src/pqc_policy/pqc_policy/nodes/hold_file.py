# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps what the operator holds in a file, so that it outlives a restart of the policy."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path

from pqc_policy.named_files import NoFile, from_json, read_text
from pqc_policy.policy.engine import Policy

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Hold:
    """A hold as the policy accepted it, or what is left of it."""

    suite: str  # id; empty: none
    seconds: float


@dataclass(frozen=True)
class Moment:
    """A moment by a clock that outlives a process, and that nobody sets."""

    boot: str  # id of the boot of the computer
    boot_s: float  # since then


def present() -> Moment:
    boot = ""
    with suppress(OSError):
        boot = _BOOT_ID.read_text(encoding="ascii").strip()
    return Moment(boot, time.clock_gettime(time.CLOCK_BOOTTIME))


@dataclass(frozen=True)
class HoldFile:
    """The file with the hold of one policy node; a hold ends with the boot of the computer."""

    path: Path
    now: Callable[[], Moment] = present

    def keep(self, hold: Hold) -> None:
        """Replace the hold in the file, or remove it; raises OSError."""
        if not hold.suite:
            self.path.unlink(missing_ok=True)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(hold) | asdict(self.now())), encoding="utf-8")
        os.replace(unfinished, self.path)

    def resumed(self, policy: Policy) -> tuple[Hold | None, str]:
        """Return what is left of the hold, or why it does not go on, as a sentence.

        Neither: there is none, or it has ended.
        """
        try:
            hold = self.kept()
        except ValueError as fault:
            return None, f"The operator's hold {fault}."
        if hold is None or hold.seconds <= 0.0:
            return None, ""
        why = policy.hold_fault(hold.suite, hold.seconds)
        return (hold, "") if why is None else (None, f"The operator's hold does not go on: {why}")

    def kept(self) -> Hold | None:
        """Return what is left of the hold in the file, also nothing; None: there is none.

        Raises ValueError for a damaged file: the end of a sentence.
        """
        try:
            content = from_json(read_text(self.path, trusted=True))
        except NoFile:
            return None
        if not isinstance(content, Mapping):
            raise ValueError("has no members")
        texts = [content.get(name) for name in ("suite", "boot")]
        numbers = [content.get(name) for name in ("seconds", "boot_s")]
        if any(type(text) is not str for text in texts) or any(
            type(number) is not float for number in numbers
        ):
            raise ValueError("lacks a member, or it has another type")
        if not all(map(isfinite, numbers)):
            raise ValueError("has a time that is no number")
        (suite, boot), (seconds, boot_s), now = texts, numbers, self.now()
        return Hold(suite, seconds - (now.boot_s - boot_s)) if boot == now.boot else None
