# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One end of a test bed, seen from the run: copy its program, begin a cell, wait for it, collect.

A connection that breaks is made again; the program at the end does not need it meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from pqc_policy.sensing.model_folder import CARD, MODEL, MODEL_GROUP, find_model
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.scenario import DETECTORS
from pqc_bench.collectors.disturbance import RUN_VARIABLE
from pqc_bench.load import MODELS
from pqc_bench.testbed.bed_file import Bed
from pqc_bench.testbed.end_cell import ENDED, JOB, PARAMETERS, STARTING
from pqc_bench.testbed.host import Host, HostLostError, Outcome

_PROGRAM = "pqc_bench.testbed.end_program"
# Their sources run there, with what of pymavlink a simulated vehicle needs.
_PACKAGES = ("pqc_bench", "pqc_policy", "pqc_sim", "pqc_testing")
_DIALECT = (
    "__init__.py",
    "dialects/__init__.py",
    "dialects/v20/__init__.py",
    "dialects/v20/ardupilotmega.py",
    "generator/__init__.py",
    "generator/mavcrc.py",
)
_WAIT_S, _AGAIN_S, _MARGIN_S = 30.0, 1.0, 30.0
_Answer = TypeVar("_Answer")


class FarEnd:
    """The drone's or the ground's end of a pair; a lost connection is waited for."""

    def __init__(self, bed: Bed, end: str, run: str) -> None:
        """Take the name of the run, which no other run has."""
        self.end, self.place = end, bed.place(end)
        self._host = Host(self.place.host, self.place.ssh_config)
        self._patience_s = bed.patience_s
        self._run = run
        # Both ends may be one computer.
        self._cell = f"{self.place.folder}/cell-{end}"
        content, self._version = program_files()
        self._files = content
        self._boot = ""
        self._copied = False

    @property
    def host(self) -> Host:
        return self._host

    def prepare(self) -> None:
        """Copy the program, unless it is there."""
        if self._copied:
            return
        folder = self._program_folder
        if self._host.run(["test", "-e", f"{folder}/complete"]).code != 0:
            earlier = 'for one in "$1"/program-*; do rm -rf "$one"; done'
            self._host.run(["sh", "-c", earlier, "sh", self.place.folder])
            self._host.put(self._files, folder)
            self._host.put({"complete": b""}, folder)
        self._copied = True

    def facts(self, vehicle: str = "") -> dict[str, Any]:
        """Return what the end says about its computer (end_program.py), and of a vehicle there."""
        return json.loads(self._ask("facts", self.place.programs, self.place.power, vehicle).text)

    def detector_trouble(self, name: str) -> str:
        """Return why a detector can't judge there, or nothing."""
        return self._ask("detector", name).text.strip()

    def begin(self, job: dict[str, Any], parameters: bytes, identity: dict[str, bytes]) -> None:
        """Begin a cell; RunFault if it can't be."""
        self.patiently(self.prepare)
        self.patiently(self.clear)
        keys = self.patiently(lambda: self._ask("keys", self._cell).text.strip())
        self.patiently(lambda: self._host.put(identity, keys))
        content = json.dumps({**job, "end": self.end, "keys": keys, "run": self._run}).encode()
        files = {JOB: content, PARAMETERS: parameters}
        self.patiently(lambda: self._host.put(files, self._cell))
        self.patiently(self._launch)

    def wait(self, phase: str, seconds: float) -> None:
        """Wait until the cell is in a phase; RunFault if it failed, or its host restarted."""
        deadline = time.monotonic() + seconds
        while True:
            state = self.patiently(lambda: self._state(phase, _WAIT_S))
            if self._boot and state["booted"] != self._boot:
                raise RunFault(f"the computer of the {self.end} has restarted")
            if state["fault"]:
                raise RunFault(f"at the {self.end}: {state['fault']}")
            if state["gone"]:
                raise RunFault(f"the program at the {self.end} has ended: {self._said()}")
            if state["phase"] in (phase, ENDED):
                return
            if time.monotonic() > deadline:
                raise RunFault(f"the {self.end} is not {phase} after {seconds:.0f} s")

    def collect(self, to: Path) -> None:
        """Copy what the end recorded."""
        self.patiently(lambda: self._host.get(self._cell, to))

    def clear(self) -> None:
        """End what runs there of this run, wipe its keys, and remove what it recorded."""
        if self._host.run(["test", "-d", self._cell]).code == 0:
            self._ask("stop", self._cell, self._run)
            self._host.run(["rm", "-rf", self._cell])

    def patiently(self, act: Callable[[], _Answer]) -> _Answer:
        """Do it again for as long as the host may not be reached."""
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                return act()
            except HostLostError as lost:
                if time.monotonic() > deadline:
                    raise RunFault(f"{lost}, for {self._patience_s:.0f} s") from lost
                time.sleep(_AGAIN_S)

    @property
    def _program_folder(self) -> str:
        return f"{self.place.folder}/program-{self._version}"

    @property
    def _beside(self) -> str:
        """The cell as seen from the program."""
        return f"../{Path(self._cell).name}"

    def _words(self, *words: str) -> list[str]:
        # Working below the folder: paths are relative to it.
        folder = f"../{Path(self._program_folder).name}"
        variables = (f"PYTHONPATH={folder}", f"{RUN_VARIABLE}={self._run}")
        return ["env", *variables, self.place.python, "-m", _PROGRAM, *words]

    def _ask(self, *words: str, seconds: float = 0.0) -> Outcome:
        done = self._host.run(
            self._words(*(self._beside if word == self._cell else word for word in words)),
            seconds=seconds + _MARGIN_S * 2,
            folder=self._program_folder,
        )
        if done.code != 0:
            raise RunFault(f"{words[0]} fails at the {self.end}: {done.reason}")
        return done

    def _launch(self) -> None:
        """Start the cell, unless it was started before the connection broke."""
        if not self._state("", 0.0)["phase"]:
            words = self._words("run", self._beside)
            self._host.start(words, self._program_folder, f"{self._beside}/end.log")
        state = self._state(STARTING, _MARGIN_S)
        if not state["phase"]:
            raise RunFault(f"the program at the {self.end} doesn't start: {self._said()}")
        self._boot = state["boot"]

    def _state(self, phase: str, seconds: float) -> dict[str, Any]:
        words = ("wait", self._cell, phase, str(seconds))
        return json.loads(self._ask(*words, seconds=seconds).text)

    def _said(self) -> str:
        done = self._host.run(["tail", "-n", "1", f"{self._cell}/end.log"])
        return done.text.strip() or "it said nothing; is its disk full?"


@cache
def program_files() -> tuple[dict[str, bytes], str]:
    """Return the files of the program at an end, and a name that changes with them."""
    files = {name: content for package in _PACKAGES for name, content in _sources(package)}
    files |= _detector_files()
    root = _root("pymavlink")
    files |= {f"pymavlink/{name}": (root / name).read_bytes() for name in _DIALECT}
    summed = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    for name, content in files.items():
        summed.update(name.encode() + b"\0" + content)
    return files, summed.hexdigest()[:12]


def _sources(package: str) -> Iterator[tuple[str, bytes]]:
    root = _root(package)
    for file in sorted(root.rglob("*.py")):
        yield f"{package}/{file.relative_to(root)}", file.read_bytes()


def _detector_files() -> dict[str, bytes]:
    """Return the models of the detectors, and the packages that read them, with entry points."""
    files: dict[str, bytes] = {}
    for detector in DETECTORS:
        folder = find_model(detector)
        for name in (CARD, MODEL) if folder is not None else ():
            files[f"{MODELS}/{detector}/{name}"] = (folder / name).read_bytes()
    for reader in entry_points(group=MODEL_GROUP):
        package = reader.module.partition(".")[0]
        files |= dict(_sources(package))
        named = f"{package}.dist-info/entry_points.txt"
        earlier = files.get(named, f"[{MODEL_GROUP}]\n".encode())
        files[named] = earlier + f"{reader.name} = {reader.value}\n".encode()
        files[f"{package}.dist-info/METADATA"] = f"Name: {package}\nVersion: 0\n".encode()
    return files


def _root(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise RunFault(f"the package {package} isn't there")
    return Path(spec.origin).parent
