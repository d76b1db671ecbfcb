# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded flights: the script and the purpose of each."""

from __future__ import annotations

from pqc_policy.sensing.battery.predictor import Pack as KnownPack

from pqc_sim.flights.script import Crash, Leg, Script, Silence
from pqc_sim.physics.air import Air, Spell, both
from pqc_sim.physics.battery_pack import PackType
from pqc_sim.physics.timeline import line, steady

_MLKEM512 = "cs-mlkem512-aesgcm-mldsa44"
_MCELIECE3 = "cs-classicmceliece460896-aesgcm-mldsa65"
_MCELIECE5 = "cs-classicmceliece8192128-aesgcm-mldsa87"


def _flown(
    parked_s: float,
    climb_s: float,
    *air: tuple[float, Leg],
    descent_s: float,
    parked_again_s: float,
) -> tuple[tuple[float, Leg], ...]:
    """Return a mission with these legs between climb and descent."""
    begin = ((parked_s, Leg.PARKED), (5.0, Leg.IDLING), (climb_s, Leg.CLIMB))
    return (*begin, *air, (descent_s, Leg.DESCENT), (parked_again_s, Leg.PARKED))


CALM = Script(
    name="calm",
    about="A calm morning: one step up on the ground, then fresh keys every minute.",
    mission=_flown(
        60.0, 15.0, (250.0, Leg.CRUISE), (40.0, Leg.HOVER), descent_s=25.0, parked_again_s=45.0
    ),
    suite=_MLKEM512,
)

HOT = Script(
    name="hot",
    about="Noon in summer, with the paper's table: the computer warms fast, and passes 80 °C.",
    mission=_flown(30.0, 15.0, (310.0, Leg.CRUISE), descent_s=25.0, parked_again_s=35.0),
    suite=_MCELIECE3,
    ambient_c=line((0, 35.0), (200, 36.5), (420, 43.0)),
    sun=steady(0.8),
    busy=line(
        (0, 0.1), (84, 0.1), (90, 0.95), (121, 0.95), (129, 0.5), (220, 0.6), (330, 1.0), (390, 0.2)
    ),
    parameters={"strategy": "paper_2025", "allowed.experimental": True},
)

SAGGING = Script(
    name="sagging",
    about="An old pack on a frosty day: its voltage falls away before the landing.",
    mission=_flown(30.0, 12.0, (190.0, Leg.CRUISE), descent_s=30.0, parked_again_s=33.0),
    suite=_MCELIECE5,
    pack=PackType(faded=0.12, ohm=0.0027),
    charge=0.225,
    ambient_c=steady(4.0),
    pack_c=16.0,
)

JAMMED = Script(
    name="jammed",
    about="A jammer near the ground station, in sweeps; the floor is level 3.",
    mission=_flown(40.0, 15.0, (270.0, Leg.CRUISE), descent_s=25.0, parked_again_s=25.0),
    suite=_MCELIECE3,
    spells=tuple(
        Spell(start_s, start_s + 15.0, Air(loss=0.985), Air(loss=0.25))
        for start_s in range(90, 241, 25)
    ),
    parameters={"allowed.min_level": 3},
)

FLAPPING = Script(
    name="flapping",
    about="An intermittent link: blackouts after a step up, then a second out of six.",
    mission=_flown(75.0, 15.0, (280.0, Leg.CRUISE), descent_s=25.0, parked_again_s=40.0),
    suite=_MLKEM512,
    spells=(
        both(31.6, 44.2, Air(loss=0.01, out_every_s=1.8, out_s=1.15)),
        both(100.0, 280.0, Air(loss=0.01, out_every_s=6.0, out_s=1.0)),
        *(Spell(start_s, start_s + 13.0, up=Air(loss=0.99)) for start_s in (290.0, 320.0, 350.0)),
    ),
)

SENSOR_LOSS = Script(
    name="sensor_loss",
    about="The sensors fail one after the other, and recover.",
    mission=_flown(30.0, 15.0, (240.0, Leg.CRUISE), descent_s=20.0, parked_again_s=30.0),
    silences=(
        Silence(("thermal",), 60.0, 80.0),
        Silence(("mavros",), 105.0, 125.0),
        Silence(("battery", "thermal", "vehicle", "power"), 150.0, 151.0),
        Silence(("vehicle", "/mavros/state"), 165.0, 178.0),
        Silence(("link",), 200.0, 215.0),
        Silence(("advisor", "power"), 230.0, 250.0),
    ),
)

CRASH = Script(
    name="crash",
    about="The tunnel crashes in the air and restarts; later the link is lost for a while.",
    mission=_flown(10.0, 12.0, (108.0, Leg.CRUISE), descent_s=20.0, parked_again_s=10.0),
    crashes=(Crash(66.0, 85.0),),
    spells=(both(92.0, 99.0, Air(loss=1.0)),),
)

LONG = Script(
    name="long",
    about="Half an hour with two intermediate landings, over links of all qualities.",
    mission=(
        (60.0, Leg.PARKED),
        (5.0, Leg.IDLING),
        (15.0, Leg.CLIMB),
        (500.0, Leg.CRUISE),
        (30.0, Leg.DESCENT),
        (120.0, Leg.PARKED),
        (5.0, Leg.IDLING),
        (15.0, Leg.CLIMB),
        (350.0, Leg.HOVER),
        (30.0, Leg.DESCENT),
        (90.0, Leg.PARKED),
        (5.0, Leg.IDLING),
        (15.0, Leg.CLIMB),
        (420.0, Leg.CRUISE),
        (30.0, Leg.DESCENT),
        (60.0, Leg.PARKED),
    ),
    suite="cs-mlkem512-aesgcm-falcon512",
    pack=PackType(capacity_ah=21.0, ohm=0.0011, fast_ohm=0.0004, slow_ohm=0.0005),
    assumed_pack=KnownPack(capacity_ah=21.0, cell_resistance_ohm=0.002),
    ambient_c=line((0, 14.0), (900, 19.0), (1750, 21.0)),
    sun=line((0, 0.1), (900, 0.6), (1300, 0.3), (1750, 0.5)),
    busy=line((0, 0.2), (100, 0.3), (700, 0.4), (1100, 0.25), (1750, 0.3)),
    wind=1.5,
    spells=(
        both(300.0, 420.0, Air(loss=0.02, burst_every_s=4.0, jitter_s=0.02)),
        both(850.0, 960.0, Air(loss=0.05, delay_s=0.05, burst_every_s=6.0, burst_s=0.4)),
        both(1290.0, 1293.0, Air(loss=1.0)),
        Spell(1400.0, 1415.0, up=Air(loss=0.99)),
    ),
    parameters={"allowed.families": ["ml_kem"]},
)

SCRIPTS = {
    script.name: script
    for script in (CALM, HOT, SAGGING, JAMMED, FLAPPING, SENSOR_LOSS, CRASH, LONG)
}
