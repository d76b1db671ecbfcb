# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and temperature as heat maps, and the energy of a flight."""

from __future__ import annotations

from pqc_bench.report import names
from pqc_bench.report.charts import Datum, dumbbells, heat
from pqc_bench.report.context import Context, families_of
from pqc_bench.report.intervals import Interval, mean
from pqc_bench.report.number_text import short
from pqc_bench.report.power import (
    MINUTES,
    REKEYS,
    Power,
    busy_core_power,
    power_of,
    rekeys_interval,
    rekeys_j,
)
from pqc_bench.report.run_data import Cell, Sample
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_HEATED = (
    (
        "CPU of the machine",
        "mean CPU of the machine in %",
        "n_system_drone.machine_cpu_percent.mean",
        "%",
    ),
    (
        "CPU of the drone's tunnel",
        "CPU time of the drone's tunnel per datagram in µs",
        "n_system_drone.cpu_us_per_packet",
        "µs",
    ),
    ("Temperature", "mean temperature in °C", "n_system_drone.temperature_c.mean", "°C"),
)
_TITLE = "Energy of a 30-minute flight"
_NO_SENSOR = "No cell has a power sensor."
_NO_CORE = "No sensor shows what a busy core adds."
_JOULES = ("joules", "low_j", "high_j")


def heat_maps(context: Context) -> Section:
    across = context.run.across()
    families = families_of([cell for cells in across.values() for cell in cells])
    section = Section(
        "heat",
        "CPU and temperature",
        "Means by KEM family and scenario; figures of the machine include both ends and everything "
        "else that it runs.",
    )
    table = Table(
        "heat",
        [
            Column("family", "family"),
            Column("scenario", "scenario"),
            Column("n", "n"),
            Column("machine's CPU (%)", "machine_cpu_percent", interval=True),
            Column("tunnel's CPU per datagram (µs)", "cpu_us_per_packet", interval=True),
            Column("temperature (°C)", "temperature_c", interval=True),
        ],
    )
    for family in families:
        for scenario, cells in across.items():
            of_family = [cell for cell in cells if cell.family == family]
            if of_family:
                tiles = [_tile(context, of_family, *heated) for _, *heated in _HEATED]
                table.add(
                    Value(tiles[0]["row"]),
                    Value(scenario),
                    Value(len(of_family), tiles[0]["href"]),
                    *(Value(t["value"], t["href"], interval=t["interval"]) for t in tiles),
                )
    for title, words, path, unit in _HEATED:
        section.parts.append(_heat_map(context, across, families, (title, words, path, unit)))
    section.parts.append(Tabulated("By family and scenario", table, ("scenario", "system")))
    return section


def energy(context: Context) -> Section:
    """Return what sensors measured; without one nothing is stated."""
    table = Table(
        "energy",
        [
            Column("suite", "suite"),
            Column("level", "level"),
            Column("drone's work (ms)", "drone_work_ms", "encapsulate and verify", interval=True),
            Column("per rekey (mJ)", "rekey_mj"),
            Column("30 rekeys (J)", "flight_j", interval=True),
            Column("of the flight (%)", "flight_percent"),
        ],
        note="Charged is what the drone's own work adds: an encapsulation and a verification, at "
        "the power that a busy core adds. The earlier papers charge the whole computer for the "
        "whole handshake, with the ground station's key generation and signature in it.",
    )
    tables: list[Figure | Tabulated] = [
        Tabulated("Rekeys every 60 s", table, ("energy", "resources"), _NO_CORE),
        Tabulated(
            "Measured power", _measured_power(context), ("power", "family_power"), _NO_SENSOR
        ),
    ]
    power, core = power_of(context.main), busy_core_power(context.run.cells)
    if power is None or core is None:
        why = _NO_SENSOR if power is None else _NO_CORE
        figure = Figure("Energy of 30 rekeys", why, "no data")
        return Section("energy", _TITLE, "", [figure, *tables])
    intro = (
        f"Measured: a busy core adds {short(core.watts)} W, the slope of {len(core.cells)} cells' "
        f"power over their use of the CPU. The whole computer uses {short(power.watts)} W, the "
        f"median of the cells ({power.source})."
    )
    figure = _energy_of_rekeys(context, table, power, core)
    return Section("energy", _TITLE, intro, [figure, *tables])


def _energy_of_rekeys(context: Context, table: Table, power: Power, core: Power) -> Figure:
    """Fill the table, and return the figure of it."""
    flight_j = power.watts * MINUTES * 60.0
    costs = [(spent, cell) for cell in context.main if (spent := rekeys_j(cell, core)) is not None]
    costs.sort(key=lambda cost: cost[0])
    if not costs:
        return Figure("Energy of 30 rekeys", "No cell timed the drone's work.", "no data")
    for spent_j, cell in costs:
        link = context.link(cell)
        table.add(
            Value(cell.name, link),
            Value(f"L{cell.level}"),
            Value(cell.drone_ms, link, interval=cell.drone_spread),
            Value(1000.0 * spent_j / REKEYS, link),
            Value(spent_j, link, interval=rekeys_interval(cell, core)),
            Value(100.0 * spent_j / flight_j, link),
        )
    best = {(cell.family, cell.level): (spent_j, cell) for spent_j, cell in reversed(costs)}
    data = [
        context.datum(
            cell,
            f"{short(spent_j)} J, {short(100.0 * spent_j / flight_j)} % of the flight",
            label=cell.name,
            value=spent_j,
            **context.bounds(rekeys_interval(cell, core)),
        )
        for spent_j, cell in sorted(best.values(), key=lambda cost: cost[0])
    ]
    (least_j, cheapest), (most_j, dearest) = costs[0], costs[-1]
    shares = " % and ".join(
        short(100.0 * spent_j / flight_j) for spent_j, _ in (costs[0], *costs[1:][-1:])
    )
    also = f" and {short(most_j)} J with {dearest.name}" if dearest is not cheapest else ""
    sentence = (
        f"The drone's work for 30 rekeys takes {short(least_j)} J with {cheapest.name}{also}: "
        f"{shares} % of the energy that the drone's computer uses in the flight "
        f"({short(flight_j)} J)."
    )
    return Figure(
        "Energy of 30 rekeys: the cheapest of each family and level",
        sentence,
        dumbbells(data, "energy of 30 rekeys (J, logarithmic)", names.FAMILY_NAMES),
    )


def _measured_power(context: Context) -> Table:
    """Return the power of each cell that has a sensor, with its samples over time."""
    table = Table(
        "power",
        [
            Column("cell", "cell"),
            Column("sensor", "sensor"),
            Column("samples/s", "rate_hz"),
            Column("missed", "missed", "samples missing in gaps"),
            Column("mean (W)", "mean_w"),
            Column("peak (W)", "peak_w"),
            Column("energy (J)", "energy_j", "of the traffic", interval=True),
            Column("above idle (J)", "traffic_above_idle_j", "of the traffic", interval=True),
            Column("handshake (J)", "handshake_j", "above idle", interval=True),
            Column("rekey (J)", "rekey_j", "above the traffic", interval=True),
            Column("over time", "trace", "time and power of each sample"),
        ],
        note="Of the whole computer. “Below” is what the sensor can't tell from none.",
    )
    path = "p_power_energy"
    for cell in context.run.cells:
        for one in cell.samples:
            if one.get(f"{path}.power_w.mean") is None:
                continue
            trace, link = one.get(f"{path}.trace"), context.file_link(one.file)
            file = context.file_link(one.file.parent / trace) if trace else ""
            table.add(
                Value(one.id, link),
                Value(one.get(f"{path}.source")),
                Value(one.get(f"{path}.rate_hz"), link),
                Value(one.get(f"{path}.gaps.missed"), link),
                Value(one.get(f"{path}.power_w.mean"), link),
                Value(one.get(f"{path}.power_w.max"), link),
                _joules(one, "energy_j", "energy_low_j", "energy_high_j", link),
                *(
                    _joules(one, *(f"above.{kind}.{name}" for name in _JOULES), link)
                    for kind in ("traffic", "handshake", "rekey")
                ),
                Value(trace, file),
            )
    return table


def _joules(sample: Sample, joules: str, low: str, high: str, link: str) -> Value:
    """Return an energy with its interval, or "below" and the least energy that would show."""
    path = "p_power_energy."
    value, ends = sample.get(path + joules), (sample.get(path + low), sample.get(path + high))
    if value is None:
        why = sample.reason(path + joules)
        return Value(why.rstrip("."), link) if why.startswith("below ") else Value(None, why=why)
    around = None
    if None not in ends:
        count = sample.get(f"{path}power_w.count") or 0
        around = Interval(*ends, sure=0.95, n=count)
    return Value(value, link, interval=around)


def _heat_map(
    context: Context,
    across: dict[str, list[Cell]],
    families: list[str],
    metric: tuple[str, str, str, str],
) -> Figure:
    title, words, path, unit = metric
    tiles = [
        _tile(context, of_family, words, path, unit)
        for family in families
        for cells in across.values()
        if (of_family := [cell for cell in cells if cell.family == family])
    ]
    known = [tile for tile in tiles if tile["value"] is not None]
    if not known:
        reasons = {cell.reason(path) for cells in across.values() for cell in cells}
        return Figure(title, f"There is no {words}.", " ".join(sorted(reasons)), small=True)
    least, most = (pick(known, key=lambda tile: tile["value"]) for pick in (min, max))
    sentence = (
        f"The {words} lies between {short(least['value'])} ({least['row']}, {least['column']}) and "
        f"{short(most['value'])} ({most['row']}, {most['column']})."
    )
    drawn = [{key: of for key, of in tile.items() if key != "interval"} for tile in tiles]
    return Figure(title, sentence, heat(drawn), small=True)


def _tile(context: Context, cells: list[Cell], words: str, path: str, unit: str) -> Datum:
    measured = [cell for cell in cells if cell.get(path) is not None]
    tile: Datum = {
        "row": names.FAMILIES[cells[0].family],
        "column": cells[0].scenario,
        "value": None,
        "href": "",
        "interval": None,
    }
    if measured:
        name = f"{tile['row']} in {tile['column']}"
        found = context.typical(f"{name}: {words}", measured, path, mean)
        hint = f"{name}: {short(float(found.value or 0.0))} {unit}"
        tile |= {"value": found.value, "href": found.href, "hint": hint, "interval": found.interval}
    return tile
