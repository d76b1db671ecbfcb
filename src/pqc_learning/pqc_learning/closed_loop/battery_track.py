# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The battery over a whole flight, as the sensing node would report it each second.

It is the same for all strategies: the current of a rekey, at most 0.1 A beside 13 A of the motors,
moves the voltage by less than a sixth of the sensor's noise. What rekeys take is counted apart.
"""

from __future__ import annotations

from math import sqrt
from random import Random

from pqc_policy.policy.inputs import Battery
from pqc_policy.sensing.battery.monitor import BatteryMonitor
from pqc_policy.sensing.battery.predictor import BatteryPredictor
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_sim.flights.script import Script
from pqc_sim.physics.battery_pack import Pack

AVIONICS_W = 6.0
_STEPS_PER_S = 4
_GUST_S = 2.5


def battery_track(script: Script) -> list[Battery]:
    seed = f"{script.name}/{script.seed}"
    ambient_c = script.ambient_c.at(0.0)
    pack = Pack(
        script.pack, script.charge, script.pack_c if script.pack_c is not None else ambient_c
    )
    monitor = BatteryMonitor(BatteryPredictor(script.assumed_pack))
    wind, noise = Random(f"{seed}/wind").gauss, Random(f"{seed}/battery").gauss
    kind = script.computer
    share, gust, track = 1.0 / _STEPS_PER_S / _GUST_S, 0.0, []
    for second in range(int(script.seconds)):
        for step in range(_STEPS_PER_S):
            now_s = second + step / _STEPS_PER_S
            gust += -share * gust + sqrt(2.0 * share) * wind(0.0, 1.0)
            load = script.leg(now_s)
            motors_w = max(load.power_w + script.wind * load.gust_w * gust, 0.0)
            computer_w = kind.idle_w + kind.busy_w * script.busy.at(now_s)
            total_w = motors_w + AVIONICS_W + computer_w
            pack.step(total_w, script.ambient_c.at(now_s), 1.0 / _STEPS_PER_S)
        read = BatteryReading(
            voltage_v=round(pack.voltage_v + noise(0.0, 0.012), 3),
            current_a=round(max(1.01 * pack.current_a + noise(0.0, 0.12), 0.0), 2),
            temperature_c=round(pack.temperature_c + noise(0.0, 0.1), 1),
        )
        monitor, report = monitor.taken(second + 1.0, read)
        assert report is not None and report.prediction is not None
        track.append(
            Battery(
                voltage_v=read.voltage_v,
                rate_mv_per_min=report.rate_mv_per_min,
                charge=report.prediction.charge,
                endurance_s=report.prediction.endurance_s,
                cells=script.pack.cells,
            )
        )
    return track
