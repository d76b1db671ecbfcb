# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Several emulated links between the ends of one tunnel, such as "lte+radio"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pqc_testing.ports import LOOPBACK, free_ports

from pqc_sim.pair.link_emulator import link_profile
from pqc_sim.processes.run_fault import RunFault

UDP, SERIAL = "udp", "serial"
_MOST = 4
_SHORT_NAMES = {"radio": "sik-57600"}
# The rate of the serial line to each radio. Its frames fit a packet of the radio.
_BAUD = {"sik-57600": 57_600, "sik-250000": 115_200}
_RADIO_FRAME_BYTES = 252


@dataclass(frozen=True)
class EmulatedLink:
    """One link: its name in the tunnel, its type, and the profile of the emulator."""

    name: str
    type: str
    profile: Path

    @property
    def baud(self) -> int:
        """The rate of a serial link in bits per second."""
        return _BAUD[self.profile.stem]


@dataclass(frozen=True)
class LinkEnds:
    """The UDP ports or serial devices at which two ends and the emulator of a link meet."""

    link: EmulatedLink
    drone: str
    ground: str
    emulator: str = ""  # UDP: the port that the drone sends to

    def emulator_arguments(self) -> list[str]:
        """Return the options that tell the emulator its ends."""
        if self.link.type == SERIAL:
            return ["--serial-drone", self.drone, "--serial-ground", self.ground]
        listen, forward = f"{LOOPBACK}:{self.emulator}", f"{LOOPBACK}:{self.ground}"
        return ["--udp-listen", listen, "--udp-forward", forward]

    def parameters(self, end: str) -> dict[str, Any]:
        """Return the parameters of this link for the tunnel of "drone" or "gcs"."""
        here = self.drone if end == "drone" else self.ground
        values: dict[str, Any] = {"type": self.link.type}
        if self.link.type == SERIAL:
            values |= {"device": here, "baud": self.link.baud, "mtu_bytes": _RADIO_FRAME_BYTES}
        else:
            values["datagram_port"] = int(here)
            if end == "drone":
                values["gcs_datagram_port"] = int(self.emulator)
        return {f"link.{self.link.name}.{key}": value for key, value in values.items()}


def parse_links(text: str) -> tuple[EmulatedLink, ...]:
    """Return the links of a list like "lte+radio", in order of preference. RunFault if unknown."""
    names = text.split("+")
    if len(names) > _MOST:
        raise RunFault(f"a tunnel has at most {_MOST} links, not {len(names)}")
    if repeated := {name for name in names if names.count(name) > 1}:
        raise RunFault(f"the link {repeated.pop()} is named twice")
    return tuple(_link(name) for name in names)


def _link(name: str) -> EmulatedLink:
    profile = link_profile(_SHORT_NAMES.get(name, name)) if name else None
    if profile is None:
        raise RunFault(f"'{name}' is no link; examples are lte, satellite and radio")
    kind = SERIAL if profile.stem in _BAUD else UDP
    return EmulatedLink(profile.stem if "/" in name else name, kind, profile)


def lay_links(
    links: Iterable[EmulatedLink], folder: Path, *, first_udp: tuple[int, int, int]
) -> tuple[LinkEnds, ...]:
    """Give each link its ends: devices below `folder`, or ports of drone, ground and emulator.

    The first UDP link takes the ports `first_udp`, each other one free ports.
    """
    laid = []
    first: tuple[int, int, int] | None = first_udp
    for link in links:
        if link.type == SERIAL:
            devices = [str(folder / f"{link.name}-{end}") for end in ("drone", "ground")]
            laid.append(LinkEnds(link, *devices))
        else:
            laid.append(LinkEnds(link, *map(str, first or free_ports(3))))
            first = None
    return tuple(laid)


def end_parameters(links: Iterable[LinkEnds], end: str, schedule: str) -> dict[str, Any]:
    """Return the parameters of all links for the tunnel of "drone" or "gcs"."""
    links = tuple(links)
    if not links:
        return {}
    values: dict[str, Any] = {"links": [ends.link.name for ends in links], "schedule": schedule}
    for ends in links:
        values |= ends.parameters(end)
    return values
