# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The life of one cell whose ends are two computers: keys, begin, wait, collect, wipe."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from pqc_policy.policy.suites import find_suite
from pqc_sim.datagrams.udp_port import parse_endpoint
from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.parameters import (
    DRONE,
    SHIPPED_NODE,
    drone_parameters,
    gcs_parameters,
    shipped_parameters,
)
from pqc_sim.pair.ports import Ports
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.cell import Cell
from pqc_bench.cell.observed import ENDS, Observed
from pqc_bench.power.capture import PROGRAM
from pqc_bench.power.options import PowerOptions
from pqc_bench.testbed.bed_file import Bed
from pqc_bench.testbed.end_cell import ENDED, LISTENING
from pqc_bench.testbed.far_end import FarEnd
from pqc_bench.testbed.observations import observe

_LISTEN_S = 240.0
# The longest life of a cell beside its traffic: start, handshake, clocks, rekey, end.
_LIMIT_S = 600.0
_IDENTITIES = {"drone": DRONE, "gcs": "gcs"}


class BedRun:
    """Runs cells in sequence on one pair of computers."""

    def __init__(
        self, bed: Bed, run: str, *, fix_clock: bool = False, power: PowerOptions | None = None
    ) -> None:
        """Take the name of the run; nothing is copied yet."""
        self._power = power or PowerOptions()
        self.bed, self.name = bed, run
        self.ends = {end: FarEnd(bed, end, run) for end in ENDS}
        self._fix_clock = fix_clock

    def run(self, cell: Cell, folder: Path, scenario_command: str = "") -> Observed:
        """Run a cell into its folder; a failure is a sentence in the returned `failure`."""
        seen = Observed.begun(cell, scenario_command)
        try:
            self._conduct(self._job(cell, seen.scenario_command), cell.suite, folder)
            observe(seen, folder)
        except RunFault as fault:
            seen.failure = str(fault)
        finally:
            self._clear()
        return seen

    def ping(self, folder: Path, suite: str) -> None:
        """Make a tunnel and send echoes through it, into a folder; RunFault if it fails."""
        job = self._job(Cell("baseline", "mavlink", "clean", suite), None)
        try:
            self._conduct({**job, "ping": True, "fix_clock": False}, suite, folder)
        finally:
            self._clear()

    def _conduct(self, job: dict[str, Any], suite: str, folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="pqc-keys-") as scratch:
            known = find_suite(suite)
            assert known is not None, suite
            keys = make_identities(Path(scratch) / "keys", signatures=known.signature)
            for end in ("gcs", "drone"):
                identity = {
                    str(file.relative_to(keys / _IDENTITIES[end])): file.read_bytes()
                    for file in (keys / _IDENTITIES[end]).rglob("*")
                    if file.is_file()
                }
                far = self.ends[end]
                far.begin(self._of(end, job), self._parameters(end, suite), identity)
                if end == "gcs":
                    far.wait(LISTENING, _LISTEN_S)
        self._both(lambda far: far.wait(ENDED, _LIMIT_S + job["seconds"]))
        self._both(lambda far: far.collect(folder / far.end))

    def _both(self, act: Callable[[FarEnd], None]) -> None:
        """Do it at both ends at once; RunFault with the first fault."""
        faults: list[str] = []

        def run(far: FarEnd) -> None:
            try:
                act(far)
            except RunFault as fault:
                faults.append(str(fault))

        threads = [threading.Thread(target=run, args=(far,)) for far in self.ends.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if faults:
            raise RunFault("; ".join(dict.fromkeys(faults)))

    def _clear(self) -> None:
        for far in self.ends.values():
            # A host that is not there has its keys in memory only; the next cell clears the rest.
            with contextlib.suppress(RunFault):
                far.clear()

    def _job(self, cell: Cell, scenario: str | None) -> dict[str, Any]:
        return {
            "cell": cell.id,
            "suite": cell.suite,
            "load": cell.load,
            "vehicle": cell.vehicle,
            "seconds": cell.seconds,
            "scenario": scenario.split() if scenario else [],
            "fix_clock": self._fix_clock,
            "limit_s": _LIMIT_S + cell.seconds,
            "ping": False,
        }

    def _of(self, end: str, job: dict[str, Any]) -> dict[str, Any]:
        place, other = (self.bed.place(one) for one in (end, _other(end)))
        return {
            **job,
            "programs": place.programs,
            "sys_root": place.power,
            "capture": [PROGRAM, *self._power.words(place.power)],
            "plaintext": place.plaintext,
            "application": place.application,
            "peer_address": other.address,
            # One computer has one clock to hold.
            "fix_clock": job["fix_clock"] and (end == "drone" or place.host != other.host),
            "ports": [place.port, parse_endpoint(place.plaintext).port],
            # The papers' scenarios are loads of the drone's computer.
            "scenario": job["scenario"] if end == "drone" else [],
        }

    def _parameters(self, end: str, suite: str) -> bytes:
        bed, place = self.bed, self.bed.place(end)
        ports = Ports(
            *(parse_endpoint(one.plaintext).port for one in (bed.drone, bed.gcs)),
            *(parse_endpoint(one.application).port for one in (bed.drone, bed.gcs)),
            *(one.port for one in (bed.drone, bed.gcs)),
            0,
        )
        known = find_suite(suite)
        assert known is not None, suite
        identity = Path()  # the program at the end names it
        if end == "drone":
            own = drone_parameters(ports, identity, emulated_link=False)
            own |= {"gcs_address": bed.gcs.address, "suite": suite}
        else:
            own = gcs_parameters(ports, identity)
        own |= {
            "bind_address": place.bind or place.address,
            "plaintext_bind_address": parse_endpoint(place.plaintext).host,
            "plaintext_peer_address": parse_endpoint(place.application).host,
            "control_name": "",
            "min_level": 1,
            "allow_experimental": known.experimental,
        }
        values = {**shipped_parameters(end), **own}
        content = {SHIPPED_NODE: {"ros__parameters": values}}
        return yaml.safe_dump(content, sort_keys=False).encode()


def _other(end: str) -> str:
    return "gcs" if end == "drone" else "drone"
