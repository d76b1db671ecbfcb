# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`pqc_blaster` as a child: traffic through both plaintext ports, counted window by window."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop

# A real-time priority above that of busy neighbours, below that of the kernel.
_PRIORITY = 20
DIRECTIONS = ("drone_to_gcs", "gcs_to_drone")


@dataclass(frozen=True)
class Applications:
    """The addresses of the applications at both ends, and the plaintext ports they send to."""

    drone: Endpoint
    ground: Endpoint
    drone_bind: Endpoint
    ground_bind: Endpoint


class Blaster:
    """A running pqc_blaster; use it as a context manager."""

    def __init__(
        self,
        where: Applications,
        rate: int,
        size: int,
        windows: int,
        *,
        drain_s: int = 1,
        namespaces: dict[str, int] | None = None,
        others: Sequence[tuple[Endpoint, Endpoint]] = (),
    ) -> None:
        """Start to send; `finish` waits up to `drain_s` for datagrams under way.

        The plaintext ports of `others`, at their drones and the ground, get datagrams in turn.
        `namespaces` are processes in whose network namespaces "drone" and "ground" are.
        """
        # An end of a test bed needs Applications only, and has no installed packages.
        from pqc_sim.pair.programs import tool_program

        command = [
            str(tool_program("pqc_blaster")),
            *("--drone", str(where.drone), "--ground", str(where.ground)),
            *("--drone-bind", str(where.drone_bind), "--ground-bind", str(where.ground_bind)),
            *("--rate", str(rate), "--size", str(size), "--windows", str(windows)),
            *("--drain", str(drain_s), "--priority", str(_PRIORITY), "--commands"),
        ]
        for drone, ground in others:
            command += ["--drone", str(drone), "--ground", str(ground)]
        for end, pid in (namespaces or {}).items():
            command += [f"--{end}-namespace", f"/proc/{pid}/ns/net"]
        # It exits at the end of its input, so it can't outlive this process.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            stop(self._process)

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""
        self._ask(f"window {name}")

    def window(self, name: str) -> dict[str, Any]:
        """Return the counts of a window so far."""
        return self._ask(f"report {name}")["report"]

    def finish(self) -> dict[str, Any]:
        """Stop sending, wait for datagrams under way, and return the report."""
        out, errors = self._process.communicate("stop\n")
        if self._process.returncode != 0:
            raise RunFault(_last_line(errors))
        return json.loads(out)

    def _ask(self, command: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RunFault(_last_line(self._process.communicate()[1]))
        answer = json.loads(line)
        if "error" in answer:
            raise RunFault(f"pqc_blaster: {answer['error']}")
        return answer


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "pqc_blaster has ended"
