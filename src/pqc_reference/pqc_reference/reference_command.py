# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run the reference peer with the parameter files and identities of the tunnel."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pqc_reference.config import Config, ConfigError, load
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.suites import Suite, suite_named
from pqc_reference.datagrams import PlaintextPort
from pqc_reference.drone import Drone
from pqc_reference.end import Deliver, End
from pqc_reference.ground import Ground
from pqc_reference.identity import (
    load_drone_identity,
    load_drone_record,
    load_gcs_identity,
)
from pqc_reference.key_files import IdentityError
from pqc_reference.peer import Peer, Report
from pqc_reference.session.epoch_keys import EpochKeys
from pqc_reference.shell import Shell

_SUMMARY_INTERVAL_S = 1.0
_SESSION_POLL_S = 0.05


def make_end(config: Config, report: Report, deliver: Deliver) -> End:
    """Load liboqs and the identity; liboqs.Unavailable or IdentityError if one of them fails."""
    liboqs.load()
    folder = config.identity_dir
    if config.role == "drone":
        return Drone(config, load_drone_identity(folder), report, deliver)
    records = [load_drone_record(folder, name) for name in config.plaintexts]
    return Ground(config, load_gcs_identity(folder), records, report, deliver)


def make_shell(config: Config, report: Report) -> Shell:
    """Return an end with its sockets; call it inside the event loop.

    liboqs.Unavailable, IdentityError or OSError if something fails.
    """
    threading.stack_size(liboqs.STACK_BYTES)  # for worker threads of the event loop
    ports: dict[str, PlaintextPort] = {}
    end = make_end(config, report, lambda name, datagram: ports[name].deliver(datagram))
    ports |= {name: PlaintextPort(plaintext) for name, plaintext in config.plaintexts.items()}
    return Shell(end, ports)


def summary(end: End, state: str) -> dict[str, Any]:
    """Return state and counters of a peer, as plain data."""
    return {
        "state": state,
        "role": end.config.role,
        "handshakes": end.handshakes,
        "rekeys": end.rekeys,
        "rollbacks": end.rollbacks,
        "unassigned_drops": end.unassigned_drops,
        "peers": [_describe(peer) for peer in end.peers],
    }


def _describe(peer: Peer) -> dict[str, Any]:
    keys = peer.slots.sending
    return {
        "name": peer.name,
        "suite": keys.suite.name if keys else "",
        "epoch": keys.epoch if keys else 0,
        "confirmed": peer.slots.confirmed,
        "layers": [[*place, kem] for place, kem in sorted(keys.layers.items())] if keys else [],
        "packets": peer.packets,
        "drops": peer.drops,
        "remote_link": peer.remote_view._asdict() if peer.remote_view else None,
        "rtt_s": peer.clock.rtt_s,
        "clock_offset_ns": peer.clock.offset_ns,
    }


def _write_summary(file: Path, end: End, state: str) -> None:
    # Replaced as a whole, so that no reader sees half of it
    new = file.with_name(f".{file.name}.new")
    new.write_text(json.dumps(summary(end, state), indent=2) + "\n", encoding="utf-8")
    new.replace(file)


async def _run(config: Config, options: argparse.Namespace) -> None:
    file: Path | None = options.summary
    start = time.monotonic()

    def report(text: str, keys: EpochKeys | None) -> None:
        where = f" [{keys.suite.name}, epoch {keys.epoch}]" if keys else ""
        print(f"{time.monotonic() - start:9.3f} {text}{where}", flush=True)

    shell = make_shell(config, report)
    report(f"the reference peer runs as {config.role}", None)
    loop = asyncio.get_running_loop()
    running = loop.create_task(shell.run())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, running.cancel)
    later = [loop.create_task(_rekey_later(shell, *rekey)) for rekey in options.rekey]
    while not running.done():
        if file is not None:
            _write_summary(file, shell.end, "running")
        await asyncio.wait({running}, timeout=_SUMMARY_INTERVAL_S)
    if file is not None:
        _write_summary(file, shell.end, "finished")
    for task in later:
        task.cancel()
    if not running.cancelled():
        running.result()


async def _rekey_later(shell: Shell, seconds: float, suite: Suite) -> None:
    await asyncio.sleep(seconds)
    while not shell.end.peers[0].slots.confirmed:
        await asyncio.sleep(_SESSION_POLL_S)
    await shell.request_rekey(suite)


def _suite_later(text: str) -> tuple[float, Suite]:
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
    option("role", "the end that it runs as", choices=("drone", "gcs"))
    option("--config", "parameter file of the tunnel", type=Path, metavar="FILE", **many)
    option("-p", "one parameter; takes precedence over files", metavar="NAME:=VALUE", **many)
    later = {"type": _suite_later, "metavar": "SUITE@SECONDS"}
    option("--rekey", "a rekey after the start", **later, **many)
    option("--summary", "file for state and counters, written every second", type=Path)
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; 1 if it cannot start."""
    options = _parse(words)
    try:
        config = load(options.role, options.config, options.p)
        asyncio.run(_run(config, options))
    except (ConfigError, IdentityError, liboqs.Unavailable, OSError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    return 0
