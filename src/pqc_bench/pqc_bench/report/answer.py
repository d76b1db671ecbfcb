# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The answer to "which suite should I fly?", from the figures of the run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pqc_bench.report.analysis import phi
from pqc_bench.report.choice import MOST_PHI, NO_MATTER, REKEY_S, TEXT_BYTES, Choice, choose
from pqc_bench.report.context import Context, interval_words
from pqc_bench.report.names import display
from pqc_bench.report.number_text import short
from pqc_bench.report.power import busy_core_power, rekeys_j
from pqc_bench.report.run_data import Cell, Sample

_FOREIGN = "q_observability.disturbance.foreign_cpu"
_MOST_NAMED = 3
# A larger share of disturbed cells makes the whole answer unreliable.
_MOST_DISTURBED = 0.1


def answer(context: Context) -> str:
    """Return the answer as HTML: what to fly, why, and what to be careful about."""
    found = choose(context.main, context.shipped, context.ciphers)
    listed = "".join(f"<li>{one}</li>" for one in _warnings(context, found))
    careful = f"<h3>About this run</h3><ul>{listed}</ul>"
    doubt = _doubt(context, found)
    if found.chosen is None:
        return f"{doubt}<p>None: {_why_none(found)}</p>{careful}"
    why = "".join(f"<li>{one}</li>" for one in _reasons(context, found.chosen))
    more = [
        _rivals(context, found, found.chosen),
        _considered(context, found),
        *_under_load(context, found.chosen.suite),
        _cipher(context, found.chosen.aead),
    ]
    return (
        f"{doubt}{_pick(context, found.chosen, sure=not doubt)}"
        f"<p>{_shipped(context, found, found.chosen)}</p><h3>Why</h3><ul>{why}</ul>{careful}"
        f"<details><summary>More on the choice</summary>"
        f"<p>{' '.join(part for part in more if part)}</p></details>"
    )


def _pick(context: Context, cell: Cell, *, sure: bool) -> str:
    verb = "Fly" if context.has_default else "Of the suites of this run, fly"
    verb = verb if sure else "Not to be relied on:"
    line = f"suite: {cell.suite}"
    if cell.level != context.shipped.min_level:
        line += "   # in gcs.yaml, too"
    return (
        f'<p class="pick{"" if sure else " doubtful"}">{verb} {_copied(cell.suite)}</p>'
        f"<p>{escape(cell.name)}, NIST level {cell.level}. In <code>config/drone.yaml</code>, "
        "or your copy of it, below <code>/**/tunnel: ros__parameters:</code></p>"
        f'<p class="line">{_copied(line)}</p>'
    )


def _copied(text: str) -> str:
    return (
        f"<code>{escape(text)}</code> "
        f'<button type="button" data-copy="{escape(text)}">Copy</button>'
    )


def _reasons(context: Context, cell: Cell) -> list[str]:
    link, ms = context.link(cell), cell.handshake_ms or 0.0
    reasons = [
        f'First handshake <a href="{link}">{short(ms)} ms</a> ({interval_words(cell.spread)}): one '
        f"every minute takes {short(100.0 * phi(ms, REKEY_S))} % of the time."
    ]
    core = busy_core_power(context.run.cells)
    spent_j = rekeys_j(cell, core) if core is not None else None
    if core is not None and spent_j is not None:
        reasons.append(
            "Its work on the drone, an encapsulation and a verification, takes "
            f"{short(cell.drone_ms or 0.0)} ms and adds {short(1000.0 * spent_j)} mJ to "
            f"a 30-minute flight (at {short(core.watts)} W for a busy core, {core.source})."
        )
    if cell.rekey_ms is not None:
        ready = cell.prepared_ahead
        keys = "all keys" if all(ready) else "some keys" if any(ready) else "no keys"
        reasons.append(
            f'Rekey under traffic <a href="{link}">{short(cell.rekey_ms)} ms</a> '
            f"({interval_words(cell.rekey_spread)}; {keys} made ahead)."
        )
    return reasons


def _doubt(context: Context, found: Choice) -> str:
    """Return the sentence above an answer that is not to be believed; empty for a good one."""
    samples = [one for cell in context.main for one in cell.samples]
    bad = [one for one in samples if one.disturbances]
    if len(bad) <= _MOST_DISTURBED * len(samples) and not any(c.disturbed for c in found.tied):
        return ""
    return (
        f'<p class="unreliable"><strong>Not reliable:</strong> {len(bad)} of {len(samples)} cells '
        f"of {escape(context.condition_words)} were disturbed. {escape(bad[0].disturbances[0])} "
        "Repeat the run on a quiet machine. Its figures would point to this:</p>"
    )


def _warnings(context: Context, found: Choice) -> list[str]:
    samples = context.run.samples()
    bad = sum(bool(one.disturbances) for one in samples)
    warnings = []
    if bad:
        warnings.append(f"{bad} of {len(samples)} cells were disturbed; a triangle marks them.")
    elif all(one.get(f"{_FOREIGN}_percent") is not None for one in samples):
        warnings.append(f"No cell was disturbed: {_foreign(samples)}.")
    else:
        warnings.append("Other programs' use of the CPU was not measured in every cell.")
    if min((len(cell.samples) for cell in context.main), default=0) < 2:
        warnings.append(
            "One sample of each suite, so suites have no interval: small differences may be "
            "chance. <code>bench matrix --repeat 6</code> gives 95 % intervals."
        )
    if found.chosen is not None and found.chosen.spread is None:
        warnings.append(f"Costs count as equal within {escape(context.noise_words)}.")
    return warnings


def _foreign(samples: Sequence[Sample]) -> str:
    most = max(one.get(f"{_FOREIGN}_percent") for one in samples)
    floor = max(one.get(f"{_FOREIGN}_resolution_percent") for one in samples)
    if most <= floor:
        return f"other programs used ≤ {short(floor)} % of the CPU, less than this run resolves"
    return f"other programs used at most {short(most)} % of the CPU"


def _shipped(context: Context, found: Choice, chosen: Cell) -> str:
    """Return how the answer relates to the suite in config/drone.yaml."""
    default = context.shipped.suite
    if chosen.suite == default.id:
        return "It is the shipped default: no figure of this run excludes it."
    if not context.has_default:
        return (
            f"This run did not measure the shipped default, <code>{default.id}</code>, and so "
            "gives no reason against it. It is the best of the suites that it did measure."
        )
    return (
        f"<strong>The figures of this run exclude the shipped default</strong>, "
        f"<code>{default.id}</code> (level {default.level}): {escape(found.against_default)}."
    )


def _why_none(found: Choice) -> str:
    if found.too_costly:
        return (
            "no suite of this run that the shipped parameters would choose keeps its rekeys under "
            f"{short(100.0 * MOST_PHI)} % of the time."
        )
    return (
        "the shipped parameters would choose no suite of this run: "
        f"{'; '.join(_left_out_words(found))}."
    )


def _left_out_words(found: Choice) -> list[str]:
    words = [f"{count} {reason}" for reason, count in found.left_out.items()]
    return words + ([f"{len(found.too_costly)} too costly"] if found.too_costly else [])


def _considered(context: Context, found: Choice) -> str:
    out = _left_out_words(found)
    listed = f" Left out: {escape(', '.join(out))}." if out else ""
    return (
        f"As in the shipped parameters only levels from {context.shipped.min_level} on and "
        f"algorithms that FIPS publishes, ML-KEM and ML-DSA, are considered.{listed}"
    )


def _rivals(context: Context, found: Choice, chosen: Cell) -> str:
    others = [cell for cell in found.tied if cell is not chosen]
    others.sort(key=lambda cell: (-cell.level, cell.wire_bytes))
    little = (
        f"rekeys take less than {short(100.0 * NO_MATTER)} % of the time, or are as quick "
        f"as the quickest within {context.noise_words}"
    )
    if not others:
        return f"No other suite is equal in cost. Equal means that {little}."
    named = [
        f'<a href="{context.link(cell)}">{escape(cell.name)}</a> '
        f"(level {cell.level}, {short(cell.handshake_ms or 0.0)} ms)"
        for cell in others[:_MOST_NAMED]
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


def _cipher(context: Context, aead: str) -> str:
    if aead not in context.ciphers:
        return "The cost of the cipher was not measured."
    us = context.ciphers[aead].us
    return f"{display(aead)} seals and opens {TEXT_BYTES} bytes in {short(us)} µs."
