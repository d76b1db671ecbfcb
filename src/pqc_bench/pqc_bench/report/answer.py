# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The answer to "which suite should I fly?", from the figures of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pqc_bench.report import names
from pqc_bench.report.analysis import group, median, phi
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import NO_MATTER, Fleet, Option, Plan, plan, strong_enough
from pqc_bench.report.power import power_of
from pqc_bench.report.run_data import Cell

# As in the seeds: 30 minutes, a rekey each minute.
USUAL = Fleet("any", battery_wh=60.0, minutes=30.0, level=1, rekey_s=60.0)
_TEXT_BYTES = 256
_RATE = 320
_MOST_NAMED = 3


@dataclass(frozen=True)
class Cipher:
    """The AEAD that costs least; `us` per datagram sealed and opened, if that was timed."""

    aead: str
    words: str
    href: str


def answer(context: Context) -> str:
    """Return the paragraph, as HTML."""
    scenario = context.run.primary()[0]
    power = power_of(context.main, scenario)
    found = plan(context.options, USUAL, power.watts, context.noise)
    if found.chosen is None:
        return f"<p>None: {_why_none(found)}</p>"
    option = found.chosen.option
    cipher = choose_cipher(context, option.cells, option.level)
    suite = names.suite_name(option.kem, option.signature, cipher.aead)
    link = context.option_link(option)
    parts = [
        f'<strong class="pick">{escape(suite)}</strong> (NIST level {option.level}).',
        f'Its first handshake took <a href="{link}">{short(option.handshake_ms)} ms</a>: a rekey '
        f"like that every minute takes {short(100.0 * found.chosen.phi)} % of the time and "
        f"{short(found.chosen.energy_j)} J of a 30-minute flight "
        f"({'measured' if power.measured else 'predicted with ' + short(power.watts) + ' W'}).",
        *_measured_rekey(option),
        _rivals(context, found),
        *_under_load(context, (option.kem, option.signature)),
        _slowest(context),
        escape(cipher.words),
    ]
    return f"<p>{' '.join(part for part in parts if part)}</p>"


def _why_none(found: Plan) -> str:
    if not found.too_costly:
        return "every suite of this run is experimental, and those are never proposed."
    settled = " that is not experimental" if found.experimental else ""
    return (
        f"no suite of this run{settled} keeps its rekeys under 1 % of the time and of the battery."
    )


def choose_cipher(context: Context, cells: Sequence[Cell], level: int) -> Cipher:
    """Return the cheapest AEAD among the cells', of those whose key is as strong as the level."""
    bits = {cell.aead: cell.get("b_crypto_identity.aead_key_bits") or 0 for cell in cells}
    strong = {aead for aead, length in bits.items() if strong_enough(length, level)}
    weak = sorted(set(bits) - strong, key=names.place)
    left_out = (
        f" {' and '.join(names.display(a) for a in weak)} stay{'s' if len(weak) == 1 else ''} "
        f"out: a key of 128 bits is less than level {level} requires."
        if weak
        else ""
    )
    if not strong:
        return Cipher("", "No cipher of the run is as strong as the level." + left_out, "")
    timed = {a: us for a, us in _timed(context).items() if a in strong}
    if timed:
        best = min(timed, key=lambda aead: timed[aead])
        worst = max(timed.values())
        busy = (worst - timed[best]) * _RATE / 1e4
        words = (
            f"{names.display(best)} seals and opens {_TEXT_BYTES} bytes in {short(timed[best])} µs"
        )
        if len(timed) > 1:
            words += (
                f"; the slowest choice would cost {short(busy)} % of a core more at {_RATE} "
                "messages a second"
            )
        return Cipher(best, words + "." + left_out, context.speed_link)
    path = "n_system_drone.cpu_us_per_packet"
    known = [c for c in context.main if c.aead in strong and c.get(path) is not None]
    if not known:
        first = min(strong, key=names.place)
        return Cipher(first, "The cost of the cipher was not measured." + left_out, "")
    by = {
        aead: median([cell.get(path) for cell in of])
        for aead, of in group(known, lambda cell: cell.aead).items()
    }
    best = min(by, key=lambda aead: by[aead])
    words = f"With {names.display(best)} the drone's tunnel took {short(by[best])} µs per datagram."
    of_best = [cell for cell in known if cell.aead == best]
    return Cipher(best, words + left_out, context.group(f"CPU of {best}", of_best))


def _timed(context: Context) -> dict[str, float]:
    times: dict[str, float] = {}
    for subject in (context.run.speed or {}).get("aeads", []):
        medians = {
            one["operation"]: one["median_ns"]
            for one in subject["operations"]
            if one.get("text_bytes") == _TEXT_BYTES and one["samples"]
        }
        if {"seal", "open"} <= set(medians):
            times[subject["algorithm"]] = (medians["seal"] + medians["open"]) / 1000.0
    return times


def _measured_rekey(option: Option) -> list[str]:
    if option.rekey_ms is None:
        return []
    ready = [one for cell in option.cells for one in cell.prepared_ahead]
    keys = "all keys" if all(ready) else "some keys" if any(ready) else "no keys"
    return [
        f"Rekeys to it under traffic took {short(option.rekey_ms)} ms "
        f"({keys} made ahead): {short(100.0 * phi(option.rekey_ms, USUAL.rekey_s))} % of the time."
    ]


def _rivals(context: Context, found: Plan) -> str:
    assert found.chosen is not None
    others = sorted(
        (cost for cost in found.tied if cost is not found.chosen),
        key=lambda cost: (-cost.option.level, cost.option.wire_bytes),
    )
    little = (
        f"rekeys that take less than {short(100.0 * NO_MATTER)} % of time and battery, or as "
        f"quick as the quickest within the noise of this run, {short(100.0 * context.noise)} %"
    )
    if not others:
        return f"No other combination is equal in cost ({little})."
    named = [
        f'<a href="{context.option_link(cost.option)}">{escape(cost.option.name)}</a> '
        f"(level {cost.option.level}, {short(cost.ms)} ms)"
        for cost in others[:_MOST_NAMED]
    ]
    more = f" and {len(others) - len(named)} more" if len(others) > len(named) else ""
    return (
        f"Equal in cost are {', '.join(named)}{more} ({little}); the highest "
        "level wins, then the fewest bytes on the air."
    )


def _under_load(context: Context, pair: tuple[str, str]) -> list[str]:
    times = []
    for scenario, cells in context.run.across().items():
        if scenario == context.run.primary()[0]:
            continue
        of_pair = [c for c in cells if c.pair == pair and c.handshake_ms is not None]
        if of_pair:
            took = median([cell.handshake_ms or 0.0 for cell in of_pair])
            link = context.group(f"{pair[0]} {pair[1]} in {scenario}", of_pair)
            times.append(f'<a href="{link}">{short(took)} ms</a> in {escape(scenario)}')
    return [f"Beside a detector it took {' and '.join(times)}."] if times else []


def _slowest(context: Context) -> str:
    fastest, slowest = context.options[0], context.options[-1]
    if phi(slowest.handshake_ms, USUAL.rekey_s) <= NO_MATTER:
        return ""
    ratio = slowest.handshake_ms / fastest.handshake_ms
    return (
        f'Do not fly <a href="{context.option_link(slowest)}">{escape(slowest.name)}</a> without a '
        f"reason: {short(slowest.handshake_ms)} ms, {short(ratio)} times the fastest."
    )
