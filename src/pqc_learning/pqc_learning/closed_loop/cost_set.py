# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are compared: this tunnel, and that of the seeds, which stops for a rekey."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

from pqc_policy.policy.profile import Profile, load_profile, shipped_profile
from pqc_policy.policy.suites import SUITES

# Of the time of one core: four busy cores of the modelled computer take 4.2 W more than idle ones.
CORE_W = 1.05


@dataclass(frozen=True)
class CostSet:
    """The costs of a program, and how it behaves."""

    name: str
    about: str
    profile: Profile
    min_level: int  # floor of both ends for every rekey
    stops_data: bool  # during a rekey
    startup_s: float  # work of the drone per rekey or handshake, beside cryptography
    seal_us: dict[str, float]  # per datagram, sealing or opening, by cipher

    @cached_property
    def unusable(self) -> frozenset[str]:
        """Suites that the tunnel does not use."""
        return frozenset(
            suite.id for suite in SUITES if suite.level < self.min_level or suite.experimental
        )


# docs/benchmarks.md: 64 bytes on the machine of the profile.
_OWN_SEAL_US = {"aesgcm": 0.21, "chacha20poly1305": 0.59, "ascon128a": 0.32, "asconaead128": 0.32}
# PQC-MAV paper, table VI (Raspberry Pi 5).
_SEEDS_SEAL_US = {"aesgcm": 7.3, "chacha20poly1305": 6.7, "ascon128a": 4.1, "asconaead128": 4.1}


def seeds_profile_path() -> Path:
    """Return the file of the seeds' costs, which the policy node takes as `profile`, too."""
    return Path(
        str(resources.files("pqc_learning.closed_loop.profiles").joinpath("seeds_blackout.json"))
    )


@cache
def cost_sets() -> dict[str, CostSet]:
    """Return the cost sets by name; the first is that of this tunnel as it is shipped."""
    own = shipped_profile()
    sets = (
        CostSet("tunnel", "this tunnel, floor 3 as shipped", own, 3, False, 0.0, _OWN_SEAL_US),
        CostSet("tunnel_floor_1", "this tunnel with min_level 1", own, 1, False, 0.0, _OWN_SEAL_US),
        CostSet(
            "seeds",
            "the seeds' program: 3 s without data and a handshake for each rekey, no floor",
            load_profile(seeds_profile_path()),
            1,
            True,
            3.0,
            _SEEDS_SEAL_US,
        ),
    )
    return {one.name: one for one in sets}
