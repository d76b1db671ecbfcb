# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and temperature as heat maps, and the energy of a flight."""

from __future__ import annotations

from pqc_bench.report import names
from pqc_bench.report.analysis import Interval, summarise
from pqc_bench.report.charts import Datum, dumbbells, heat
from pqc_bench.report.context import Context, families_of
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import Forecast, forecast
from pqc_bench.report.power import Power, power_of
from pqc_bench.report.run_data import Cell
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
_MINUTES = 30.0
_REKEY_S = 60.0


def heat_maps(context: Context) -> Section:
    """Return heat maps of KEM families by scenario."""
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
            Column("machine's CPU (%)", "machine_cpu_percent"),
            Column("tunnel's CPU per datagram (µs)", "cpu_us_per_packet"),
            Column("temperature (°C)", "temperature_c"),
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
                    *(Value(tile["value"], tile["href"]) for tile in tiles),
                )
    for title, words, path, unit in _HEATED:
        section.parts.append(_heat_map(context, across, families, (title, words, path, unit)))
    section.parts.append(Tabulated("By family and scenario", table, ("scenario", "system")))
    return section


def energy(context: Context) -> Section:
    """Return the energy of rekeys in a 30-minute flight."""
    scenario = context.run.primary()[0]
    power = power_of(context.main, scenario)
    flight_j = power.watts * _MINUTES * 60.0
    fleet = Fleet("", flight_j / 3600.0, _MINUTES, 1, _REKEY_S)
    table = Table(
        "energy",
        [
            Column("KEM · signature", "suite"),
            Column("level", "level"),
            Column("handshake (ms)", "handshake_ms"),
            Column("per rekey (J)", "rekey_j"),
            Column("30 rekeys (J)", "flight_j"),
            Column("of the flight (%)", "flight_percent"),
            Column("power", "power", "measured by a sensor, or predicted"),
        ],
        note="Each rekey takes as long as a first handshake, for which no keys are made ahead.",
    )
    costs = [
        forecast(option, option.handshake_ms, fleet, power.watts) for option in context.options
    ]
    for cost in costs:
        link = context.option_link(cost.option)
        table.add(
            Value(cost.option.name, link),
            Value(f"L{cost.option.level}"),
            Value(cost.ms, link),
            Value(cost.energy_j / cost.rekeys, link),
            Value(cost.energy_j, link),
            Value(100.0 * cost.battery_share, link),
            Value(power.basis),
        )
    best = {(c.option.family, c.option.level): c for c in reversed(costs)}
    data = [
        context.option_datum(
            cost.option,
            f"{short(cost.energy_j)} J, {short(100.0 * cost.battery_share)} % of the flight",
            label=cost.option.name,
            value=cost.energy_j,
            **context.bounds(_energy_bounds(cost)),
        )
        for cost in sorted(best.values(), key=lambda cost: cost.energy_j)
    ]
    dearest, cheapest = costs[-1], costs[0]
    sentence = (
        f"30 rekeys as long as first handshakes take {short(cheapest.energy_j)} J with "
        f"{cheapest.option.name} and {short(dearest.energy_j)} J with {dearest.option.name}: "
        f"{short(100.0 * cheapest.battery_share)} % and {short(100.0 * dearest.battery_share)} % "
        f"of the energy that the drone's computer uses in the flight ({short(flight_j)} J)."
    )
    figure = Figure(
        "Energy of 30 rekeys: the cheapest of each family and level",
        sentence,
        dumbbells(data, "energy of 30 rekeys (J, logarithmic)", names.FAMILY_NAMES),
    )
    return Section(
        "energy",
        "Energy of a 30-minute flight",
        _basis(power),
        [figure, Tabulated("Rekeys every 60 s", table, ("energy", "power"))],
    )


def _energy_bounds(cost: Forecast) -> Interval | None:
    """Return the interval of the energy, from that of the handshake."""
    found = cost.option.spread
    if found is None:
        return None
    per_ms = cost.energy_j / cost.ms
    return Interval(found.low * per_ms, found.high * per_ms, found.n)


def _basis(power: Power) -> str:
    if power.measured:
        return (
            f"Measured: {short(power.watts)} W is the median of {len(power.cells)} cells' mean "
            f"power ({power.source}), times the handshakes' times."
        )
    return (
        "Predicted, not measured: this machine has no power sensor. "
        f"{short(power.watts)} W ({power.source}) times the handshakes' times on this machine; "
        "another machine has another power."
    )


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
    return Figure(title, sentence, heat(tiles, words), small=True)


def _tile(context: Context, cells: list[Cell], words: str, path: str, unit: str) -> Datum:
    measured = [cell for cell in cells if cell.get(path) is not None]
    tile: Datum = {
        "row": names.FAMILIES[cells[0].family],
        "column": cells[0].scenario,
        "value": None,
        "href": "",
    }
    if measured:
        mean = summarise([cell.get(path) for cell in measured]).mean
        name = f"{tile['row']} in {tile['column']}"
        href = context.group(f"{name}: {words}", measured)
        tile |= {"value": mean, "href": href, "hint": f"{name}: {short(mean)} {unit}"}
    return tile
