# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the reference peer: `python -m pqc_reference drone|gcs --config FILE`."""

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
from pqc_reference.ground import Ground
from pqc_reference.identity import (
    IdentityFault,
    load_drone_identity,
    load_drone_record,
    load_gcs_identity,
)
from pqc_reference.loop import Loop
from pqc_reference.peer import DROPS, Peer, Report
from pqc_reference.session import Session
from pqc_reference.suites import Suite, suite_named

_SUMMARY_INTERVAL_S = 1.0


def make_role(config: Config, loop: Loop, report: Report) -> Drone | Ground:
    """Load liboqs and the identity, and open the sockets."""
    liboqs.load()
    threading.stack_size(liboqs.STACK_BYTES)
    folder = config.identity_dir
    if config.role == "drone":
        return Drone(config, load_drone_identity(folder), loop, report)
    records = [load_drone_record(folder, name) for name in config.plaintexts]
    return Ground(config, load_gcs_identity(folder), records, loop, report)


def summary(role: Drone | Ground, state: str) -> dict[str, Any]:
    """Return what there is to know of a running or finished peer."""
    return {
        "state": state,
        "role": "drone" if isinstance(role, Drone) else "gcs",
        "handshakes": role.handshakes,
        "rekeys": role.rekeys,
        "rollbacks": role.rollbacks,
        "last_handshake_s": role.last_handshake_s,
        "unassigned_drops": dict(role.unassigned_drops),
        "peers": [_describe(peer) for peer in role.peers],
    }


def _describe(peer: Peer) -> dict[str, Any]:
    session = peer.slots.sending
    return {
        "name": peer.name,
        "suite": session.suite.name if session else "",
        "epoch": session.epoch if session else 0,
        "confirmed": peer.slots.confirmed,
        "packets_under_key": session.sent if session else 0,
        "traffic": {
            "plain_in_packets": peer.plain_in,
            "plain_out_packets": peer.plain_out,
            "cipher_in_packets": peer.cipher_in,
            "cipher_out_packets": peer.cipher_out,
            "control_in": peer.control_in,
            "control_out": peer.control_out,
            "control_ignored": peer.control_ignored,
            "drops": {name: peer.drops[name] for name in DROPS},
        },
        "remote_link": peer.remote_view._asdict() if peer.remote_view else None,
        "rtt_s": peer.clock.rtt_s,
        "clock_offset_ns": peer.clock.offset_ns,
    }


class _Shell:
    """Events to the standard output, the summary file, and rekeys at set times."""

    def __init__(self, summary_file: Path | None, rekeys: list[tuple[float, Suite]]) -> None:
        self.role: Drone | Ground | None = None
        self._file = summary_file
        self._rekeys = sorted(rekeys, key=lambda rekey: rekey[0])
        self._began = time.monotonic()
        self._next_summary = 0.0

    def report(self, text: str, session: Session | None) -> None:
        where = f" [{session.suite.name}, epoch {session.epoch}]" if session else ""
        print(f"{time.monotonic() - self._began:9.3f} {text}{where}", flush=True)
        self._next_summary = 0.0

    def handle_timeout(self, now: float) -> float:
        assert self.role is not None
        due = self.role.handle_timeout(now)
        while self._rekeys and now >= self._began + self._rekeys[0][0]:
            self.role.request_rekey(self._rekeys.pop(0)[1])
        if now >= self._next_summary:
            self._next_summary = now + _SUMMARY_INTERVAL_S
            self.write("running")
        next_rekey = self._began + self._rekeys[0][0] if self._rekeys else math.inf
        return min(due, next_rekey, self._next_summary)

    def write(self, state: str) -> None:
        if self._file is not None and self.role is not None:
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
    parser.add_argument("role", choices=("drone", "gcs"))
    parser.add_argument(
        "--config", type=Path, action="append", default=[], help="parameter file of the tunnel"
    )
    parser.add_argument(
        "-p",
        dest="parameters",
        action="append",
        default=[],
        metavar="NAME:=VALUE",
        help="one parameter, over the file's",
    )
    parser.add_argument(
        "--rekey",
        type=_rekey,
        action="append",
        default=[],
        metavar="SUITE@SECONDS",
        help="rekey at a time after the start; may be given several times",
    )
    parser.add_argument(
        "--summary", type=Path, help="file for the state and the counters, written each second"
    )
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; 1 if it can't."""
    options = _parse(words)
    loop = Loop()
    shell = _Shell(options.summary, options.rekey)
    try:
        config = load(options.role, options.config, options.parameters)
        role = shell.role = make_role(config, loop, shell.report)
    except (ConfigFault, IdentityFault, liboqs.Unavailable, OSError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.stop())
    role.start()
    shell.report(f"the reference peer runs as {config.role}", None)
    loop.run(shell.handle_timeout)
    role.close()
    shell.write("finished")
    return 0
