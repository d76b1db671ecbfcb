# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""testbed.yaml: the two computers of a pair, or several pairs that share a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_sim.datagrams.udp_port import Endpoint, parse_endpoint
from pqc_sim.pair.programs import tunnel_program
from pqc_sim.processes.summary_file import read_summary, write_summary
from pqc_testing.ports import LOOPBACK

from pqc_bench.harness.usage import UsageFault, unknown
from pqc_bench.testbed.host import LOCAL

SEVERAL = "testbeds"


@dataclass(frozen=True)
class EndPlace:
    """One end: where its programs run, and its addresses."""

    address: str  # of the encrypted traffic, as the other end reaches it
    port: int
    plaintext: str  # of the tunnel, HOST:PORT at this end
    application: str  # where the tunnel delivers to, likewise
    host: str = LOCAL  # or whatever ssh understands
    programs: str = "/usr/bin"  # the folder of pqc_tunneld there
    folder: str = ".cache/pqc-bench"  # what it records, below the home or absolute
    bind: str = ""  # where the encrypted side listens, unless at `address`
    power: str = "/sys"  # the folder in which a power sensor is searched
    python: str = "python3"
    ssh_config: str = ""  # in place of ~/.ssh/config


@dataclass(frozen=True)
class Bed:
    """A pair of ends; `patience_s` is how long one may not be reached before its cell fails."""

    name: str
    drone: EndPlace
    gcs: EndPlace
    patience_s: float = 300.0

    def place(self, end: str) -> EndPlace:
        return self.drone if end == "drone" else self.gcs

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_USUAL: dict[str, dict[str, Any]] = {
    "drone": {
        "port": 46011,
        "plaintext": f"{LOOPBACK}:14590",
        "application": f"{LOOPBACK}:14591",
    },
    "gcs": {
        "port": 46012,
        "plaintext": f"{LOOPBACK}:14551",
        "application": f"{LOOPBACK}:14550",
    },
}


def write_beds(file: Path, beds: list[Bed]) -> None:
    """Keep the pairs of a run, for resuming it; hosts and addresses stand nowhere else in it."""
    write_summary(file, {SEVERAL: [bed.as_dict() for bed in beds]})


def kept_beds(file: Path) -> list[Bed]:
    """Return the pairs that `write_beds` kept; none if there is no file."""
    content = read_summary(file) or {SEVERAL: []}
    return [
        Bed(one["name"], EndPlace(**one["drone"]), EndPlace(**one["gcs"]), one["patience_s"])
        for one in content[SEVERAL]
    ]


def read_beds(file: Path) -> list[Bed]:
    """Return the pairs of a file, or of the files that it lists; UsageFault for a wrong one.

    `local` in place of a file: both ends on this machine, with the installed programs.
    """
    if str(file) == LOCAL:
        return [_local_bed()]
    content = _read(file)
    if SEVERAL not in content:
        return [_bed(file, content)]
    files = content[SEVERAL]
    if not isinstance(files, list) or not files or len(content) > 1:
        raise UsageFault(f"{file}: {SEVERAL} is a list of files, and the only member")
    found = [(one, file.parent / str(one)) for one in files]
    beds = [_bed(path, _read(path)) for _, path in found]
    if len({bed.name for bed in beds}) < len(beds):
        raise UsageFault(f"{file}: two of the {SEVERAL} have the same name")
    return beds


def _local_bed() -> Bed:
    programs = str(tunnel_program("pqc_tunneld").parent)
    own = {"address": LOOPBACK, "programs": programs, "python": sys.executable}
    return Bed(LOCAL, **{end: EndPlace(**usual, **own) for end, usual in _USUAL.items()})


def _read(file: Path) -> dict[str, Any]:
    try:
        content = read_document(file)
    except (FileFault, ValueError) as error:
        raise UsageFault(f"{file}: {error}") from error
    if not isinstance(content, dict):
        raise UsageFault(f"{file} isn't the description of a test bed")
    return content


def _bed(file: Path, content: dict[str, Any]) -> Bed:
    for name in content:
        if name not in ("drone", "gcs", "patience_s"):
            raise UsageFault(f"{file}: {unknown('member', name, ('drone', 'gcs', 'patience_s'))}")
    ends = {end: _end(file, end, content.get(end)) for end in _USUAL}
    patience_s = content.get("patience_s", Bed.patience_s)
    if not isinstance(patience_s, int | float) or isinstance(patience_s, bool) or patience_s <= 0:
        raise UsageFault(f"{file}: patience_s is a time in s")
    return Bed(file.stem, **ends, patience_s=float(patience_s))


def _end(file: Path, end: str, given: Any) -> EndPlace:
    if not isinstance(given, Mapping) or "address" not in given:
        raise UsageFault(f"{file}: {end} needs at least its address")
    types = {field.name: field.type for field in fields(EndPlace)}
    for name, value in given.items():
        if name not in types:
            raise UsageFault(f"{file}: {unknown(f'member of {end}', str(name), types)}")
        wanted = int if types[name] == "int" else str
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise UsageFault(f"{file}: {end}.{name} is {value!r}")
    place = EndPlace(**{**_USUAL[end], **given})
    place = replace(place, folder=place.folder.removeprefix("~/"))
    if place.ssh_config:
        absolute = str((file.parent / Path(place.ssh_config).expanduser()).absolute())
        place = replace(place, ssh_config=absolute)
    try:
        for endpoint in (place.plaintext, place.application):
            parse_endpoint(endpoint)
        parse_endpoint(str(Endpoint(place.address, place.port)))
    except ValueError as error:
        raise UsageFault(f"{file}: {end}: {error}") from error
    return place
