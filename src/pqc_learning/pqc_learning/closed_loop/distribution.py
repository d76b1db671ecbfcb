# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The distribution that flights are drawn from; docs/policy-evaluation.md has it as a table.

Each part of a flight is drawn from a generator of its own, so that a change of one part leaves the
others of all flights as they are.
"""

from __future__ import annotations

from random import Random

from pqc_policy.sensing.battery.predictor import Pack as KnownPack
from pqc_sim.flights.script import Crash, Leg, Script, Silence
from pqc_sim.physics.air import Air, Spell, both
from pqc_sim.physics.battery_pack import PackType
from pqc_sim.physics.radio import PACKETS_PER_S
from pqc_sim.physics.timeline import Timeline, line, steady

from pqc_learning.closed_loop.flight_plan import Adversary, Attack, FlightPlan

# Seeds from here on are held out: model, distribution and bounds were made with smaller ones.
HELD_OUT = 1_000_000
# An agent is trained with some of those, and tried out with others for the figures on its card.
TRAINING, TRYING_OUT = range(200_000, 300_000), range(300_000, 400_000)
THIN_PACKETS_PER_S = 20.0
# A SiK radio at 57.6 kbit/s, both directions together.
_THIN_BYTES_S = 7200.0
_AIRS = {
    "wifi": Air(loss=0.003, delay_s=0.004, jitter_s=0.003, burst_every_s=40.0, burst_s=0.1),
    "wifi_edge": Air(loss=0.01, delay_s=0.006, jitter_s=0.012, burst_every_s=5.0, burst_s=0.12),
    "lte": Air(loss=0.003, delay_s=0.045, jitter_s=0.01, burst_every_s=9.0, burst_s=0.08),
    "lte_handover": Air(
        loss=0.003,
        delay_s=0.045,
        jitter_s=0.01,
        burst_every_s=9.0,
        burst_s=0.08,
        out_every_s=15.0,
        out_s=0.4,
    ),
    "thin_radio": Air(loss=0.01, delay_s=0.025, jitter_s=0.01, burst_every_s=10.0, burst_s=0.1),
}
_LINKS = (("wifi", 35), ("wifi_edge", 15), ("lte", 20), ("lte_handover", 15), ("thin_radio", 15))
# Independent of each other; a flight has on average 1.3 of them.
_TROUBLES = (
    ("jammer", 0.20),
    ("fades", 0.25),
    ("outage", 0.15),
    ("slow_link", 0.08),
    ("adversary", 0.20),
    ("crash", 0.05),
    ("sensor_failure", 0.15),
    ("busy_computer", 0.25),
)
_ATTACKS = tuple(Attack)


def draw(seed: int) -> FlightPlan:
    def chance(part: str) -> Random:
        return Random(f"flight {seed}/{part}")

    mission = _mission(chance("mission"))
    seconds = sum(length for length, _ in mission)
    pick = chance("trouble")
    trouble = tuple(name for name, share in _TROUBLES if pick.random() < share)
    link = chance("link").choices([n for n, _ in _LINKS], [w for _, w in _LINKS])[0]
    weather, pack = chance("weather"), chance("pack")
    ambient_c = weather.triangular(-10.0, 45.0, 25.0)
    kind, charge = _pack(pack)
    air = chance("air")
    spells = tuple(spell for name in trouble for spell in _spells(name, seconds, air))
    failures = chance("failures")
    script = Script(
        name="drawn",
        about="",
        mission=mission,
        pack=kind,
        assumed_pack=KnownPack(cells=kind.cells, capacity_ah=kind.capacity_ah),
        charge=charge,
        pack_c=max(ambient_c, pack.uniform(5.0, 20.0)),
        ambient_c=line((0.0, ambient_c), (seconds, ambient_c + weather.uniform(-2.0, 3.0))),
        sun=steady(weather.random()),
        busy=_busy(chance("busy"), seconds, "busy_computer" in trouble),
        wind=weather.triangular(0.2, 2.5, 0.8),
        air=_AIRS[link],
        spells=spells,
        silences=_silences(failures, seconds) if "sensor_failure" in trouble else (),
        crashes=_crash(failures, seconds) if "crash" in trouble else (),
        seed=seed,
    )
    thin = link == "thin_radio"
    return FlightPlan(
        script=script,
        packets_per_s=THIN_PACKETS_PER_S if thin else PACKETS_PER_S,
        rate_bytes_s=_THIN_BYTES_S if thin else None,
        adversaries=_adversaries(chance("adversary"), seconds) if "adversary" in trouble else (),
        link=link,
        trouble=trouble,
    )


def _mission(chance: Random) -> tuple[tuple[float, Leg], ...]:
    before = ((chance.uniform(20.0, 90.0), Leg.PARKED), (5.0, Leg.IDLING))
    climb, descent = (chance.uniform(10.0, 25.0), Leg.CLIMB), (chance.uniform(15, 35), Leg.DESCENT)
    after = ((chance.uniform(15.0, 60.0), Leg.PARKED),)
    kind = chance.choices(("survey", "inspection", "delivery"), (5, 3, 2))[0]
    if kind == "survey":
        work: tuple[tuple[float, Leg], ...] = ((chance.uniform(120.0, 480.0), Leg.CRUISE),)
    elif kind == "inspection":
        work = (
            (chance.uniform(30.0, 90.0), Leg.CRUISE),
            (chance.uniform(60.0, 300.0), Leg.HOVER),
            (chance.uniform(30.0, 90.0), Leg.CRUISE),
        )
    else:
        work = (
            (chance.uniform(60.0, 180.0), Leg.CRUISE),
            descent,
            (chance.uniform(40.0, 90.0), Leg.PARKED),
            (5.0, Leg.IDLING),
            climb,
            (chance.uniform(60.0, 180.0), Leg.CRUISE),
        )
    return (*before, climb, *work, descent, *after)


def _pack(chance: Random) -> tuple[PackType, float]:
    age = chance.random()
    kind = PackType(
        capacity_ah=chance.choice((5.2, 6.0, 8.0)),
        faded=0.25 * age,
        ohm=0.0024 * (1.0 + 0.8 * age * chance.random()),
    )
    # Every sixth takes off with a pack that was used before.
    charge = chance.uniform(0.12, 0.5) if chance.random() < 1 / 6 else chance.uniform(0.85, 1.0)
    return kind, charge


def _busy(chance: Random, seconds: float, episodes: bool) -> Timeline:
    usual = chance.triangular(0.05, 0.7, 0.25)
    points, at_s = [(0.0, usual)], 0.0
    while episodes and (at_s := at_s + chance.expovariate(1 / 120.0) + 10.0) < seconds - 30.0:
        high, length_s = chance.uniform(0.8, 1.0), chance.uniform(30.0, 240.0)
        points += [(at_s, usual), (at_s + 2.0, high), (at_s + length_s, high)]
        at_s += length_s + 3.0
        points.append((at_s, usual))
    return Timeline(tuple(points))


def _spells(trouble: str, seconds: float, chance: Random) -> tuple[Spell, ...]:
    start_s = chance.uniform(30.0, max(seconds - 120.0, 31.0))
    if trouble == "jammer":
        # In sweeps; nearer to the ground station it spoils the way up alone.
        up = Air(loss=chance.uniform(0.4, 0.995), delay_s=0.02)
        down = Air(loss=chance.uniform(0.1, 0.9), delay_s=0.02) if chance.random() < 0.5 else None
        length_s, every_s = chance.uniform(5.0, 25.0), chance.uniform(25.0, 50.0)
        sweeps = chance.randint(1, 8)
        return tuple(
            Spell(start_s + turn * every_s, start_s + turn * every_s + length_s, up, down)
            for turn in range(sweeps)
        )
    if trouble == "fades":
        air = Air(
            loss=chance.uniform(0.01, 0.1),
            delay_s=0.02,
            burst_every_s=chance.uniform(3.0, 15.0),
            burst_s=chance.uniform(0.2, 1.5),
        )
        return (both(start_s, start_s + chance.uniform(30.0, 150.0), air),)
    if trouble == "outage":
        count = chance.randint(1, 3)
        starts_s = sorted(chance.uniform(30.0, seconds - 20.0) for _ in range(count))
        return tuple(
            both(at_s, at_s + chance.uniform(1.0, 15.0), Air(loss=1.0)) for at_s in starts_s
        )
    if trouble == "slow_link":
        air = Air(loss=0.02, delay_s=chance.uniform(0.2, 1.2), jitter_s=0.1)
        return (both(start_s, start_s + chance.uniform(20.0, 120.0), air),)
    return ()


def _adversaries(chance: Random, seconds: float) -> tuple[Adversary, ...]:
    attack = chance.choice(_ATTACKS)
    start_s = chance.uniform(20.0, max(seconds - 150.0, 21.0))
    end_s = start_s + chance.uniform(20.0, 240.0)
    return (Adversary(attack, start_s, end_s, delay_s=chance.uniform(0.3, 9.0)),)


def _silences(chance: Random, seconds: float) -> tuple[Silence, ...]:
    topics = chance.choice((("thermal",), ("battery",), ("mavros",), ("link",), ("advisor",)))
    start_s = chance.uniform(10.0, seconds - 20.0)
    # Every fourth sensor stays silent.
    end_s = seconds if chance.random() < 0.25 else start_s + chance.uniform(3.0, 60.0)
    return (Silence(topics, start_s, end_s),)


def _crash(chance: Random, seconds: float) -> tuple[Crash, ...]:
    at_s = chance.uniform(30.0, seconds - 40.0)
    return (Crash(at_s, at_s + chance.uniform(2.0, 8.0)),)
