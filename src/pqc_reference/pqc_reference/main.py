# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run the reference peer with the parameter files and identities of the tunnel."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pqc_reference import liboqs
from pqc_reference.config import Config, ConfigFault, load
from pqc_reference.drone import Drone
from pqc_reference.epoch_keys import EpochKeys
from pqc_reference.ground import Ground
from pqc_reference.identity import (
    IdentityFault,
    load_drone_identity,
    load_drone_record,
    load_gcs_identity,
)
from pqc_reference.loop import Loop
from pqc_reference.peer import Peer, Report
from pqc_reference.role import Role
from pqc_reference.suites import Suite, suite_named

_SUMMARY_INTERVAL_S = 1.0


def make_role(config: Config, loop: Loop, report: Report) -> Role:
    """Load liboqs and the identity, and open the sockets."""
    liboqs.load()
    threading.stack_size(liboqs.STACK_BYTES)
    folder = config.identity_dir
    if config.role == "drone":
        return Drone(config, load_drone_identity(folder), loop, report)
    records = [load_drone_record(folder, name) for name in config.plaintexts]
    return Ground(config, load_gcs_identity(folder), records, loop, report)


def summary(role: Role, state: str) -> dict[str, Any]:
    """Return state and counters of a peer."""
    return {
        "state": state,
        "role": role.config.role,
        "handshakes": role.handshakes,
        "rekeys": role.rekeys,
        "rollbacks": role.rollbacks,
        "unassigned_drops": role.unassigned_drops,
        "peers": [_describe(peer) for peer in role.peers],
    }


def _describe(peer: Peer) -> dict[str, Any]:
    keys = peer.slots.sending
    return {
        "name": peer.name,
        "suite": keys.suite.name if keys else "",
        "epoch": keys.epoch if keys else 0,
        "confirmed": peer.slots.confirmed,
        "packets": peer.packets,
        "drops": peer.drops,
        "remote_link": peer.remote_view._asdict() if peer.remote_view else None,
        "rtt_s": peer.clock.rtt_s,
        "clock_offset_ns": peer.clock.offset_ns,
    }


class _Program:
    """Events to the standard output, the summary file, and rekeys at set times."""

    def __init__(self, summary_file: Path | None, rekeys: list[tuple[float, Suite]]) -> None:
        self.role: Role | None = None
        self._file = summary_file
        self._rekeys = sorted(rekeys, key=lambda rekey: rekey[0])
        self._start = time.monotonic()
        self._next_summary = 0.0

    def report(self, text: str, keys: EpochKeys | None) -> None:
        where = f" [{keys.suite.name}, epoch {keys.epoch}]" if keys else ""
        print(f"{time.monotonic() - self._start:9.3f} {text}{where}", flush=True)
        self._next_summary = 0.0

    def handle_timeout(self, now: float) -> float:
        assert self.role is not None
        due = self.role.handle_timeout(now)
        while self._rekeys and now >= self._start + self._rekeys[0][0]:
            self.role.request_rekey(self._rekeys.pop(0)[1])
        if now >= self._next_summary:
            self._next_summary = now + _SUMMARY_INTERVAL_S
            self.write_summary("running")
        next_rekey = self._start + self._rekeys[0][0] if self._rekeys else math.inf
        return min(due, next_rekey, self._next_summary)

    def write_summary(self, state: str) -> None:
        if self._file is None or self.role is None:
            return
        # Replaced as a whole, so that nobody reads half of it.
        new = self._file.with_name(f".{self._file.name}.new")
        new.write_text(json.dumps(summary(self.role, state), indent=2) + "\n", encoding="utf-8")
        new.replace(self._file)


def _rekey(text: str) -> tuple[float, Suite]:
    name, _, seconds = text.partition("@")
    suite = suite_named(name)
    try:
        when = float(seconds)
    except ValueError:
        when = -1.0
    if suite is None or not 0.0 <= when < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' isn't of the form SUITE@SECONDS")
    return when, suite


class _Parser(argparse.ArgumentParser):
    """Answers bad input with one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="reference", description=__doc__)

    def option(name: str, text: str, **details: Any) -> None:
        parser.add_argument(name, help=text, **details)

    many: dict[str, Any] = {"action": "append", "default": []}
    option("role", "which end this is", choices=("drone", "gcs"))
    option("--config", "parameter file of the tunnel", type=Path, metavar="FILE", **many)
    option("-p", "one parameter; takes precedence over files", metavar="NAME:=VALUE", **many)
    option("--rekey", "rekey so long after the start", type=_rekey, metavar="SUITE@SECONDS", **many)
    option("--summary", "file for state and counters, written every second", type=Path)
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; 1 if it cannot start."""
    options = _parse(words)
    loop = Loop()
    program = _Program(options.summary, options.rekey)
    try:
        config = load(options.role, options.config, options.p)
        role = program.role = make_role(config, loop, program.report)
    except (ConfigFault, IdentityFault, liboqs.Unavailable, OSError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.stop())
    role.start()
    program.report(f"the reference peer runs as {config.role}", None)
    loop.run(program.handle_timeout)
    role.close()
    program.write_summary("finished")
    return 0
