# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The definition of a cell of the benchmark matrix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CLEAN = "clean"
# The policy of a cell: none, or one that publishes decisions and does not rekey.
OFF = "off"
ADVISE = "advise"
POLICIES = (OFF, ADVISE)
DECISIONS = "/pqc/decision"
# Datagrams per second, by load.
MAVPROXY = "mavproxy"
RATES = {"mavlink": 320, MAVPROXY: 320, "blaster": 3906}
BLASTER_SIZE = 256


@dataclass(frozen=True)
class Cell:
    """One launch: a suite in a scenario, with a load, over a link."""

    scenario: str
    load: str
    link: str
    suite: str
    seconds: float = 2.0
    link_seed: int = 1
    policy: str = OFF
    repetition: int = 1
    # A command or a device; empty: the simulated one.
    vehicle: str = ""

    @property
    def id(self) -> str:
        """Its folder below cells/."""
        name = f"{self.scenario}/{self.load}/{self.link_name}/{self.suite}"
        return name if self.repetition == 1 else f"{name}@{self.repetition}"

    @property
    def link_name(self) -> str:
        """The link's name; of a profile given as a file, the file's."""
        return Path(self.link).stem


def link_profile(link: str) -> Path | None:
    """Return the profile of an emulated link, by its name or as a file; None if there is none.

    A clean link has no emulator, which would use CPU of the measured machine. RunFault for
    a link that doesn't exist or can't carry the tunnel's datagrams.
    """
    # Needs YAML, which the help of `bench matrix` does without.
    from pqc_sim.pair.link_emulator import udp_link_profile

    return None if link == CLEAN else udp_link_profile(link)
