# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The answer to "which suite should I fly?", from the figures of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pqc_policy.policy.suites import SignatureFamily, find_suite
from pqc_sim.pair.parameters import shipped_parameters

from pqc_bench.report import names
from pqc_bench.report.analysis import group, median, phi
from pqc_bench.report.context import Context, interval_words
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import NO_MATTER, Forecast, Option, Plan, plan, strong_enough
from pqc_bench.report.power import Power, power_of
from pqc_bench.report.run_data import Cell, Sample

# As in the earlier papers: 30 minutes, a rekey each minute.
USUAL = Fleet("any", battery_wh=60.0, minutes=30.0, level=1, rekey_s=60.0)
_TEXT_BYTES = 256
_RATE = 320
_MOST_NAMED = 3
# A larger share of disturbed cells makes the whole answer unreliable.
MOST_DISTURBED = 0.1


@dataclass(frozen=True)
class Cipher:
    """The AEAD that costs least; `us` per datagram sealed and opened, if that was timed."""

    aead: str
    words: str
    href: str


def answer(context: Context) -> str:
    """Return the answer as HTML: what to fly, why, and what to be careful about."""
    power = power_of(context.main, context.run.primary()[0])
    found = plan(context.options, USUAL, power.watts, context.noise)
    warnings = run_warnings(context, found)
    listed = "".join(f"<li>{one}</li>" for one in warnings)
    careful = f"<h3>About this run</h3><ul>{listed}</ul>"
    if found.chosen is None:
        return f"{unreliable(context, found)}<p>None: {_why_none(found)}</p>{careful}"
    option = found.chosen.option
    cipher = choose_cipher(context, option.cells, option.level)
    if not cipher.aead:
        return f"{unreliable(context, found)}<p>None: {escape(cipher.words)}</p>{careful}"
    why = "".join(f"<li>{one}</li>" for one in _reasons(context, found.chosen, power))
    more = [
        _rivals(context, found),
        *_under_load(context, (option.kem, option.signature)),
        _slowest(context),
        escape(cipher.words),
    ]
    return (
        f"{unreliable(context, found)}{_pick(option, cipher.aead)}"
        f"<p>{_shipped(context, found, cipher.aead)}</p><h3>Why</h3><ul>{why}</ul>{careful}"
        f"<details><summary>More on the choice</summary>"
        f"<p>{' '.join(part for part in more if part)}</p></details>"
    )


def _pick(option: Option, aead: str) -> str:
    suite = suite_id(option.kem, option.signature, aead)
    lines = [f"suite: {suite}"]
    shipped = shipped_parameters("drone")
    floor = int(shipped["min_level"])
    of_shipped = find_suite(str(shipped["suite"]))
    if floor == 0 and (of_shipped is None or option.level != of_shipped.level):
        lines[0] += "   # in gcs.yaml, too"
    elif option.level < floor:
        lines.append(f"min_level: {option.level}   # in gcs.yaml, too")
    name = names.suite_name(option.kem, option.signature, aead)
    return (
        f'<p class="pick">Fly {_copied(suite, suite)}</p>'
        f"<p>{escape(name)}, NIST level {option.level}. In <code>config/drone.yaml</code>, or "
        "your copy of it, below <code>/**/tunnel: ros__parameters:</code></p>"
        + "".join(f'<p class="line">{_copied(line, line)}</p>' for line in lines)
    )


def _copied(shown: str, text: str) -> str:
    return (
        f"<code>{escape(shown)}</code> "
        f'<button type="button" data-copy="{escape(text)}">Copy</button>'
    )


def suite_id(kem: str, signature: str, aead: str) -> str:
    """Return the id of a suite."""
    return f"cs-{kem}-{aead}-{signature}"


def _reasons(context: Context, chosen: Forecast, power: Power) -> list[str]:
    option = chosen.option
    link = context.option_link(option)
    basis = "measured" if power.measured else f"predicted with {short(power.watts)} W"
    reasons = [
        f'First handshake <a href="{link}">{short(option.handshake_ms)} ms</a> '
        f"({interval_words(option.spread)}): one every minute takes {short(100.0 * chosen.phi)} % "
        f"of the time, and {short(chosen.energy_j)} J of a 30-minute flight ({basis})."
    ]
    if option.rekey_ms is not None:
        ready = [one for cell in option.cells for one in cell.prepared_ahead]
        keys = "all keys" if all(ready) else "some keys" if any(ready) else "no keys"
        reasons.append(
            f'Rekey under traffic <a href="{link}">{short(option.rekey_ms)} ms</a> '
            f"({interval_words(option.rekey_spread)}; {keys} made ahead)."
        )
    return reasons


def unreliable(context: Context, found: Plan) -> str:
    """Return the sentence above an answer that is not to be believed; empty for a good one."""
    samples = [one for cell in context.main for one in cell.samples]
    bad = [one for one in samples if one.disturbances]
    deciding = [cost.option.disturbed for cost in found.tied]
    if len(bad) <= MOST_DISTURBED * len(samples) and not any(deciding):
        return ""
    return (
        f'<p class="unreliable"><strong>Not reliable:</strong> {len(bad)} of {len(samples)} cells '
        f"of {escape(context.condition_words)} were disturbed. {escape(bad[0].disturbances[0])} "
        "Repeat the run on a quiet machine. Its figures would point to this:</p>"
    )


def run_warnings(context: Context, found: Plan) -> list[str]:
    """Return what to know about the run, as HTML."""
    samples = context.run.samples()
    bad = sum(bool(one.disturbances) for one in samples)
    warnings = []
    if not all(one.disturbance_known for one in samples):
        warnings.append("Other programs' use of the CPU was not measured in this run.")
    elif not bad:
        warnings.append(f"No cell was disturbed: {_foreign(samples)}.")
    if bad:
        warnings.append(f"{bad} of {len(samples)} cells were disturbed; a triangle marks them.")
    fewest = min((len(cell.samples) for cell in context.main), default=0)
    if fewest < 2:
        warnings.append(
            "One sample of each suite, so suites have no interval: small differences may be "
            "chance. <code>bench matrix --repeat 3</code> measures each three times."
        )
    if found.chosen is not None and found.chosen.option.spread is None:
        warnings.append(f"Costs count as equal within {escape(context.noise_words)}.")
    return warnings


def _foreign(samples: Sequence[Sample]) -> str:
    path = "q_observability.disturbance.foreign_cpu"
    most = max(one.get(f"{path}_percent") for one in samples)
    floor = max(one.get(f"{path}_resolution_percent") for one in samples)
    if most <= floor:
        return f"other programs used ≤ {short(floor)} % of the CPU, less than this run resolves"
    return f"other programs used at most {short(most)} % of the CPU"


def _shipped(context: Context, found: Plan, aead: str) -> str:
    """Return how the answer relates to the suite in config/drone.yaml."""
    assert found.chosen is not None
    chosen = found.chosen.option
    shipped = find_suite(str(shipped_parameters("drone")["suite"]))
    assert shipped is not None
    if shipped.id == suite_id(chosen.kem, chosen.signature, aead):
        return "It is the shipped default."
    default = f"The shipped default is <code>{shipped.id}</code> (level {shipped.level})"
    pair = (shipped.kem, shipped.signature)
    cost = next((c for c in found.fitting if (c.option.kem, c.option.signature) == pair), None)
    if pair == (chosen.kem, chosen.signature):
        why = f"{names.display(aead)} costs less than {names.display(shipped.aead)}"
    elif pair not in [(one.kem, one.signature) for one in context.options]:
        return f"{default}; this run did not measure it."
    elif cost is None:
        why = "the rekeys of the default cost too much"
    elif cost not in found.tied:
        why = f"it is faster than the default's {short(cost.ms)} ms"
    elif chosen.level > shipped.level:
        why = f"it costs the same and has level {chosen.level}"
    else:
        why = "it costs the same and sends fewer bytes"
    words = f"{default}; this run recommends another because {why}."
    if (
        shipped.signature_family is SignatureFamily.ML_DSA
        and names.SIGNATURE_FAMILIES[chosen.signature_family] != "ML-DSA"
    ):
        words += (
            " The default keeps to algorithms that FIPS publishes, ML-KEM and ML-DSA: "
            f"{names.display(chosen.signature)} is not among them yet."
        )
    return words


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


def _rivals(context: Context, found: Plan) -> str:
    assert found.chosen is not None
    others = sorted(
        (cost for cost in found.tied if cost is not found.chosen),
        key=lambda cost: (-cost.option.level, cost.option.wire_bytes),
    )
    little = (
        f"rekeys take less than {short(100.0 * NO_MATTER)} % of time and battery, or are as quick "
        f"as the quickest within {context.noise_words}"
    )
    if not others:
        return f"No other combination is equal in cost. Equal means that {little}."
    named = [
        f'<a href="{context.option_link(cost.option)}">{escape(cost.option.name)}</a> '
        f"(level {cost.option.level}, {short(cost.ms)} ms)"
        for cost in others[:_MOST_NAMED]
    ]
    more = f" and {len(others) - len(named)} more" if len(others) > len(named) else ""
    return (
        f"Equal in cost are {', '.join(named)}{more}: their {little}. The highest level wins, "
        "then the fewest bytes on the air."
    )


def _under_load(context: Context, pair: tuple[str, str]) -> list[str]:
    times = []
    for scenario, cells in context.run.across().items():
        if scenario == context.run.primary()[0]:
            continue
        of_pair = [c for c in cells if c.pair == pair and c.handshake_ms is not None]
        if of_pair:
            took = median([cell.handshake_ms or 0.0 for cell in of_pair])
            link = context.group(f"{names.suite_name(*pair)} in {scenario}", of_pair)
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
