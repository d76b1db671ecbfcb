# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`pqc_flood` as a child process, and the counters expected after it."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop

from pqc_bench.harness.live_pair import LivePair
from pqc_bench.harness.places import ATTACKER, Places

# The drop reasons of each type of junk, and what a ground station does with hellos.
_HELLO_REASONS = ("unknown_drone", "repeated", "discarded", "answered")
_REASONS = {
    ("malformed",): ("random", "truncated"),
    ("unknown",): ("unknown",),
    _HELLO_REASONS: ("hello", "recorded"),
    ("seq_old", "replay"): ("old",),
    ("auth_fail", "decrypt_fail"): ("forged",),
}
_LOOPBACK = Places()


@dataclass(frozen=True)
class Attack:
    """The datagrams of strangers: their end, their kinds, and the number of their addresses."""

    name: str
    target: str  # "drone" or "gcs"
    sources: int = 0  # 0: one, chosen by the system
    hellos: Path | None = None  # recorded ones; then nothing but hellos is sent
    spoofed: bool = False  # they bear the address and port of the other end


def may_spoof() -> bool:
    """Return whether this process may send datagrams that bear another's address."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW):
            return True
    except PermissionError:
        return False


class Strangers:
    """A running pqc_flood; use it as a context manager."""

    def __init__(
        self,
        attack: Attack,
        seconds: int,
        to: Endpoint,
        datagrams: int,
        *,
        key_id: int,
        other: Endpoint,
        places: Places = _LOOPBACK,
    ) -> None:
        """Start it; `key_id` is that of a key in use, as an attacker may have overheard it.

        `other` is the address of the end that is not attacked.
        """
        command = [
            *(str(tool_program("pqc_flood")), "--seconds", str(seconds)),
            *("--to", str(to), "--datagrams", str(datagrams), "--key-id", str(key_id)),
        ]
        if attack.sources:
            command += ["--from", f"{places.strangers}:0", "--sources", str(attack.sources)]
        if attack.spoofed:
            command += ["--spoof", str(other)]
        if attack.hellos is not None:
            command += ["--only-hellos", "--recorded", str(attack.hellos)]
        with places.inside(ATTACKER):
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        self._output = ("", "")
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @staticmethod
    def at(
        pair: LivePair, attack: Attack, seconds: int, datagrams: int, other: Endpoint
    ) -> Strangers:
        """Start it against an end of a pair."""
        key_id = pair.tunnels.peer(attack.target)["key_id"]
        options: dict[str, Any] = {"key_id": key_id, "other": other, "places": pair.places}
        return Strangers(attack, seconds, pair.link(attack.target), datagrams, **options)

    def __enter__(self) -> Strangers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            stop(self._process)
        self._reader.join()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def report(self) -> dict[str, Any]:
        self._reader.join()
        out, errors = self._output
        if self._process.returncode != 0:
            lines = errors.strip().splitlines()
            raise RunFault(lines[-1] if lines else "pqc_flood has failed")
        return json.loads(out)

    def _read(self) -> None:
        self._output = self._process.communicate()


def reconcile(
    kinds: dict[str, int], drops: dict[str, int], kernel_drops: int, *, answers_seen: bool = True
) -> list[dict[str, Any]]:
    """Compare sent junk with counted drops, by reason.

    Datagrams that the kernel dropped before the tunnel got them may be missing from any reason.
    Unless all answers were seen, recorded hellos may be missing, too.
    """
    rows = []
    wanted = dict(_REASONS)
    if "unknown_drone" not in drops:  # a drone, for which a hello from outside is none
        wanted[("malformed",)] += wanted.pop(_HELLO_REASONS)
    for reasons, names in wanted.items():
        sent = sum(kinds[name] for name in names)
        counted = sum(drops[reason] for reason in reasons)
        rows.append({"reasons": list(reasons), "sent": sent, "counted": counted})
    missing = sum(row["sent"] - row["counted"] for row in rows)
    unexplained = missing - kernel_drops
    if not answers_seen and unexplained > 0:
        unexplained = max(unexplained - kinds["recorded"], 0)
    rows.append(
        {
            "reasons": ["all"],
            "sent": sum(row["sent"] for row in rows),
            "counted": sum(row["counted"] for row in rows),
            "kernel_drops": kernel_drops,
            "unexplained": unexplained,
        }
    )
    return rows
