# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A flight before it is flown: everything that does not depend on the strategy."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pqc_policy.policy.inputs import Battery
from pqc_sim.flights.script import Script
from pqc_sim.physics.radio import PACKETS_PER_S
from pqc_sim.tunnel.tunnel_model import AGE_AT_START_S

from pqc_learning.closed_loop.advisor_follower import AdvisorTrack
from pqc_learning.closed_loop.air_record import AirRecord
from pqc_learning.closed_loop.battery_track import battery_track
from pqc_learning.closed_loop.link_views import LinkViews
from pqc_learning.closed_loop.surroundings import Surroundings, surroundings

# A link works with less mean loss in either direction, and with a shorter round trip: what makes a
# bad link of it for the policy's defaults.
WORKS_BELOW = 0.25
WORKS_BELOW_RTT_S = 1.0


# Bytes/s of the links that are not thin, for what is fetched in the background.
_CAPACITY = {"wifi": 2.5e6, "wifi_edge": 7.5e5, "lte": 6.25e5, "lte_handover": 6.25e5}


class Attack(StrEnum):
    """The actions of an adversary on the path, beside the effects of the air in the script."""

    BLOCK_KEYS = "block_keys"  # drops what is long enough to carry keys
    BLOCK_CONTROL = "block_control"  # drops every message of a rekey or handshake
    DELAY_CONTROL = "delay_control"  # delays them
    DROP_AFTER_REKEY = "drop_after_rekey"  # drops data for a while after each change of keys
    MUTE_REPORTS = "mute_reports"  # drops what the ground reports


@dataclass(frozen=True)
class Adversary:
    """One attack and its time."""

    attack: Attack
    start_s: float
    end_s: float
    delay_s: float = 0.0

    def active(self, now_s: float) -> bool:
        """Return whether it goes on at a time."""
        return self.start_s <= now_s < self.end_s


@dataclass(frozen=True)
class FlightPlan:
    """Mission, weather, pack, computer, air and failures (the script), link, and adversaries."""

    script: Script
    packets_per_s: float = PACKETS_PER_S  # each way
    rate_bytes_s: float | None = None  # of a thin link, for both ways; None: it is not thin
    down_bytes_s: float | None = None  # rates of any other link; None: usual ones
    up_bytes_s: float | None = None
    session_age_s: float = AGE_AT_START_S
    adversaries: tuple[Adversary, ...] = ()
    link: str = "wifi"  # kinds, for the tables
    trouble: tuple[str, ...] = ()

    @property
    def capacity_bytes_s(self) -> float:
        """The rate of the link on the way down."""
        return self.rate_bytes_s or self.down_bytes_s or _CAPACITY[self.link]


@dataclass
class PreparedFlight:
    """A flight with all its draws, which every strategy meets alike."""

    plan: FlightPlan
    up: AirRecord = field(init=False)
    down: AirRecord = field(init=False)
    views: LinkViews = field(init=False)
    works: list[bool] = field(init=False)  # whether the link does, in the second until each
    battery: list[Battery] = field(init=False)
    surroundings: list[Surroundings] = field(init=False)
    advisor: AdvisorTrack = field(init=False, default_factory=AdvisorTrack)

    def __post_init__(self) -> None:
        script = self.plan.script
        seed = f"{script.name}/{script.seed}"
        self.up, self.down = (
            AirRecord(way, script.air, script.spells, script.seconds, self.plan.packets_per_s, seed)
            for way in ("up", "down")
        )
        self.views = LinkViews(self.up, script.seconds)
        self.battery = battery_track(script)
        self.surroundings = surroundings(script, self.battery)
        self.works = [self._works(float(second)) for second in range(self.seconds + 1)]

    def _works(self, now_s: float) -> bool:
        if any(one.active(now_s) for one in self.plan.adversaries):
            return False
        ways = (self.up, self.down)
        rtt_s = sum(air.delay_between(now_s - 1.0, now_s) for air in ways)
        loss = max(air.loss_between(now_s - 1.0, now_s) for air in ways)
        return loss < WORKS_BELOW and rtt_s < WORKS_BELOW_RTT_S

    @property
    def seconds(self) -> int:
        """The length of the flight, in whole seconds."""
        return int(self.plan.script.seconds)
