# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The answer to "which suite should I fly?", from the figures of the run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pqc_bench.report.analysis import phi
from pqc_bench.report.choice import against_default, choose, measured_default
from pqc_bench.report.ciphers import Ciphers, rank_ciphers, weak_ciphers
from pqc_bench.report.context import Context, interval_words
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.number_text import factor_words, short
from pqc_bench.report.planner import NO_MATTER, Forecast, Option, Plan
from pqc_bench.report.power import busy_core_power
from pqc_bench.report.run_data import Sample

# As in the earlier papers: 30 minutes, a rekey each minute.
USUAL = Fleet("any", battery_wh=60.0, minutes=30.0, level=1, rekey_s=60.0)
_MOST_NAMED = 3
# A larger share of disturbed cells makes the whole answer unreliable.
MOST_DISTURBED = 0.1


def answer(context: Context) -> str:
    """Return the answer as HTML: what to fly, why, and what to be careful about."""
    ciphers = rank_ciphers(context)
    found = choose(context, USUAL, ciphers=ciphers)
    warnings = run_warnings(context, found)
    listed = "".join(f"<li>{one}</li>" for one in warnings)
    careful = f"<h3>About this run</h3><ul>{listed}</ul>"
    doubt = unreliable(context, found)
    if found.chosen is None:
        return f"{doubt}<p>None: {_why_none(found)}</p>{careful}"
    option = found.chosen.option
    why = "".join(f"<li>{one}</li>" for one in _reasons(context, found.chosen))
    more = [
        _rivals(context, found),
        _considered(context, found),
        *_under_load(context, option.suite.id),
        _slowest(context),
        escape(ciphers.words),
        escape(weak_ciphers(context, option.level)),
    ]
    return (
        f"{doubt}{_pick(context, option, sure=not doubt)}"
        f"<p>{_shipped(context, found, ciphers)}</p><h3>Why</h3><ul>{why}</ul>{careful}"
        f"<details><summary>More on the choice</summary>"
        f"<p>{' '.join(part for part in more if part)}</p></details>"
    )


def _pick(context: Context, option: Option, *, sure: bool) -> str:
    suite = option.suite.id
    verb = "Fly" if measured_default(context) else "Of the suites of this run, fly"
    verb = verb if sure else "Not to be relied on:"
    line = f"suite: {suite}"
    if option.level != context.shipped.min_level:
        line += "   # in gcs.yaml, too"
    return (
        f'<p class="pick{"" if sure else " doubtful"}">{verb} {_copied(suite, suite)}</p>'
        f"<p>{escape(option.name)}, NIST level {option.level}. In <code>config/drone.yaml</code>, "
        "or your copy of it, below <code>/**/tunnel: ros__parameters:</code></p>"
        f'<p class="line">{_copied(line, line)}</p>'
    )


def _copied(shown: str, text: str) -> str:
    return (
        f"<code>{escape(shown)}</code> "
        f'<button type="button" data-copy="{escape(text)}">Copy</button>'
    )


def _reasons(context: Context, chosen: Forecast) -> list[str]:
    option = chosen.option
    link = context.link(option.cell)
    reasons = [
        f'First handshake <a href="{link}">{short(option.handshake_ms)} ms</a> '
        f"({interval_words(option.spread)}): one every minute takes {short(100.0 * chosen.phi)} % "
        "of the time."
    ]
    if chosen.energy_j is not None:
        core = busy_core_power(context.run.cells)
        reasons.append(
            "Its work on the drone, an encapsulation and a verification, takes "
            f"{short(option.drone_ms or 0.0)} ms and adds {short(1000.0 * chosen.energy_j)} mJ to "
            f"a 30-minute flight ({core.basis}, at {short(core.watts)} W for a busy core)."
        )
    if option.rekey_ms is not None:
        ready = option.cell.prepared_ahead
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
            "chance. <code>bench matrix --repeat 6</code> gives 95 % intervals."
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


def _shipped(context: Context, found: Plan, ciphers: Ciphers) -> str:
    """Return how the answer relates to the suite in config/drone.yaml."""
    assert found.chosen is not None
    default = context.shipped.suite
    if found.chosen.option.suite == default:
        return "It is the shipped default: no figure of this run excludes it."
    if not measured_default(context):
        return (
            f"This run did not measure the shipped default, <code>{default.id}</code>, and so "
            "gives no reason against it. It is the best of the suites that it did measure."
        )
    why = escape(against_default(context, found, ciphers))
    return (
        f"<strong>The figures of this run exclude the shipped default</strong>, "
        f"<code>{default.id}</code> (level {default.level}): {why}."
    )


def _why_none(found: Plan) -> str:
    left_out = found.left_out
    if found.too_costly:
        return (
            "no suite of this run that the shipped parameters would choose keeps its rekeys under "
            "1 % of the time and of the battery."
        )
    if left_out.experimental and not any(
        (left_out.unpublished, left_out.below_level, left_out.weak_cipher)
    ):
        return "every suite of this run is experimental, and those are never proposed."
    return (
        "the shipped parameters would choose no suite of this run: "
        f"{'; '.join(left_out_words(found))}."
    )


def left_out_words(found: Plan) -> list[str]:
    """Return how many suites a plan left out, for each reason."""
    left_out = found.left_out
    return [
        f"{count} {words}"
        for count, words in (
            (left_out.experimental, "experimental"),
            (left_out.unpublished, "with algorithms that FIPS does not publish"),
            (left_out.below_level, "below the level"),
            (left_out.weak_cipher, "with a key shorter than the level requires"),
            (len(found.too_costly), "too costly"),
            (left_out.unmeasured, "without a measured rekey"),
        )
        if count
    ]


def _considered(context: Context, found: Plan) -> str:
    out = left_out_words(found)
    listed = f" Left out: {escape(', '.join(out))}." if out else ""
    return (
        f"As in the shipped parameters only levels from {context.shipped.min_level} on and "
        f"algorithms that FIPS publishes, ML-KEM and ML-DSA, are considered.{listed}"
    )


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
        return f"No other suite is equal in cost. Equal means that {little}."
    named = [
        f'<a href="{context.link(cost.option.cell)}">{escape(cost.option.name)}</a> '
        f"(level {cost.option.level}, {short(cost.ms)} ms)"
        for cost in others[:_MOST_NAMED]
    ]
    more = f" and {len(others) - len(named)} more" if len(others) > len(named) else ""
    return (
        f"Equal in cost are {', '.join(named)}{more}: their {little}. Among equals the shipped "
        "default wins, then the highest level, then the fewest bytes on the air."
    )


def _under_load(context: Context, suite: str) -> list[str]:
    times = []
    for scenario, cells in context.run.across().items():
        if scenario == context.run.primary()[0]:
            continue
        for cell in cells:
            if cell.suite == suite and cell.handshake_ms is not None:
                took = f'<a href="{context.link(cell)}">{short(cell.handshake_ms)} ms</a>'
                times.append(f"{took} in {escape(scenario)}")
    return [f"Beside a CPU load it took {' and '.join(times)}."] if times else []


def _slowest(context: Context) -> str:
    fastest, slowest = context.options[0], context.options[-1]
    if phi(slowest.handshake_ms, USUAL.rekey_s) <= NO_MATTER:
        return ""
    factor = factor_words(slowest.handshake_ms / fastest.handshake_ms)
    slower = f", {factor} slower than the fastest" if factor else ""
    return (
        f'Do not fly <a href="{context.link(slowest.cell)}">{escape(slowest.name)}</a> without a '
        f"reason: {short(slowest.handshake_ms)} ms{slower}."
    )
