# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All suites by their handshakes, and a regression on sizes."""

from __future__ import annotations

from functools import partial

import numpy as np

from pqc_bench.report import names
from pqc_bench.report.analysis import fit, fits, median, pearson
from pqc_bench.report.charts import ranking, scatter
from pqc_bench.report.choice import REKEY_S
from pqc_bench.report.context import Context
from pqc_bench.report.intervals import Array, pooled
from pqc_bench.report.number_text import factor_words, short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_KEY = "e_primitives.kem_public_key_bytes"
_SIGNATURE = "e_primitives.signature_bytes"
CODE_HINT = "short code, as in the earlier papers"
INTERVALS_NOTE = (
    "Small figures below a value are its interval: of medians by bootstrap over the repetitions of "
    "the suite, of losses Wilson's, as if each datagram were lost by itself."
)


def suites(context: Context) -> Section:
    ordered = context.main
    data = [
        context.datum(
            cell,
            f"{short(cell.handshake_ms or 0.0)} ms",
            label=cell.name,
            value=cell.handshake_ms,
            also=cell.get("d_handshake.primitives_ms"),
            **context.bounds(cell.spread),
        )
        for cell in ordered
    ]
    figure = Figure(
        f"All {len(ordered)} suites" if len(ordered) > 1 else "The suite",
        _sentence(ordered),
        ranking(data, "handshake (ms, logarithmic)", names.FAMILY_NAMES),
        "The grey tick is the time of the five cryptographic operations in the handshake. "
        + _intervals(ordered),
    )
    return Section(
        "suites",
        "Suites by handshake",
        f"From the drone's first hello to finished keys, {_how_often(ordered)} "
        f"({context.condition_words}).",
        [figure, Tabulated("Suites", _table(context, ordered), ("best_worst", "representative"))],
    )


def _how_often(cells: list[Cell]) -> str:
    least, most = (of(len(cell.samples) for cell in cells) for of in (min, max))
    if most == 1:
        return "once per suite"
    return f"{least} times per suite" if least == most else f"{least} to {most} times per suite"


def _intervals(cells: list[Cell]) -> str:
    samples = min(len(cell.samples) for cell in cells)
    if samples < 2:
        return "One sample of each suite: there are no intervals."
    return (
        f"The dots are medians of {samples} or more samples, the lines their bootstrap intervals. "
        "A triangle has a disturbed sample."
    )


def regression(context: Context) -> Section:
    """Return a regression of the handshake's time on sizes."""
    cells = [c for c in context.main if c.get(_KEY) and c.get(_SIGNATURE)]
    sizes = [(cell.get(_KEY), cell.get(_SIGNATURE)) for cell in cells]
    found = fit(sizes, [cell.handshake_ms or 0.0 for cell in cells])
    table = Table(
        "regression",
        [
            Column("a", "a", interval=True),
            Column("b", "b", "exponent of the public key's size", interval=True),
            Column("c", "c", "exponent of the signature's size", interval=True),
            Column("R²", "r_squared", interval=True),
            Column("n", "n"),
        ],
        note="log10 T = a + b log10(public key) + c log10(signature); T in ms, sizes in bytes. "
        "Intervals are those of the repetitions of these suites, not of other suites.",
    )
    title = "Handshakes predicted from sizes"
    tiers = Tabulated("Pearson's r of tier and handshake", _tiers(context), ("tier",))
    if found is None:
        why = "the run has too few different sizes for a regression"
        figure = Figure(title, "No line can be fitted.", why)
        parts = [figure, Tabulated("Regression", table, ("regression",)), tiers]
        return Section("regression", "Do sizes explain it?", "", parts)
    link = context.group("regression", cells)
    figures = (found.constant, found.by_key, found.by_signature, found.r_squared)
    samples = [cell.all("d_handshake.total_ms") for cell in cells]
    within = [pooled(samples, partial(_figure, sizes, place)) for place in range(len(figures))]
    values = [Value(of, link, interval=one) for of, one in zip(figures, within, strict=True)]
    table.add(*values, Value(found.n, link))
    points = []
    for cell in cells:
        predicted = found.predict_ms(cell.get(_KEY), cell.get(_SIGNATURE))
        took = cell.handshake_ms or 0.0
        words = f"{short(took)} ms, predicted {short(predicted)} ms"
        points.append(context.datum(cell, words, x=predicted, y=took))
    farthest = max(cells, key=lambda c: _miss(c, found.predict_ms(c.get(_KEY), c.get(_SIGNATURE))))
    predicted = found.predict_ms(farthest.get(_KEY), farthest.get(_SIGNATURE))
    sentence = (
        f"Key and signature sizes explain {100.0 * found.r_squared:.0f} % of the variance of the "
        f"handshakes' logarithms over {found.n} cells; farthest off is {farthest.name} with "
        f"{short(farthest.handshake_ms or 0.0)} ms where {short(predicted)} ms were predicted."
    )
    chart = scatter(points, "predicted (ms)", "measured (ms)", names.FAMILY_NAMES, diagonal=True)
    return Section(
        "regression",
        "Do sizes explain it?",
        "The earlier papers predict a handshake from the sizes of public key and signature alone.",
        [
            Figure(title, sentence, chart),
            Tabulated("Regression", table, ("regression",)),
            tiers,
        ],
    )


def _figure(sizes: list[tuple[float, float]], place: int, times_ms: Array) -> Array:
    """Return a, b, c or R² of each column."""
    return np.asarray(fits(sizes, times_ms)[place])


def _tiers(context: Context) -> Table:
    """Return the correlation of the policy's tiers with the handshakes, by scenario."""
    table = Table(
        "tier_correlation",
        [
            Column("scenario", "scenario"),
            Column("n", "n", "suites"),
            Column("r", "r", "of tier and handshake", interval=True),
            Column("r of log", "r_log", "of tier and the handshake's logarithm", interval=True),
        ],
        note="Suites with equal tiers differ in the signature, which a tier does not count.",
    )
    path = "d_handshake.total_ms"
    for scenario, cells in context.run.across().items():
        known = [cell for cell in cells if cell.get(path)]
        tiers = [float(cell.get("b_crypto_identity.tier")) for cell in known]
        link = context.group(f"handshakes in {scenario}", known) if known else ""
        row = [Value(scenario), Value(len(known), link)]
        for scale in (np.asarray, np.log):
            r = pearson(tiers, [float(scale(cell.get(path))) for cell in known])
            within = None
            if r is not None:
                times = [scale(cell.all(path)) for cell in known]
                within = pooled(times, partial(_correlations, np.asarray(tiers)))
            why = "fewer than three suites, or all of one tier"
            row.append(Value(r, link, why, interval=within))
        table.add(*row)
    return table


def _correlations(tiers: Array, table: Array) -> Array:
    """Return Pearson's r of the tiers with each column."""
    x = tiers - np.mean(tiers)
    y = table - np.mean(table, axis=0)
    return np.asarray(x @ y / np.sqrt(np.sum(x * x) * np.sum(y * y, axis=0)))


def _miss(cell: Cell, predicted_ms: float) -> float:
    ratio = (cell.handshake_ms or 0.0) / predicted_ms
    return max(ratio, 1.0 / ratio)


def _table(context: Context, ordered: list[Cell]) -> Table:
    table = Table(
        "suites",
        [
            Column("suite", "suite"),
            Column("code", "code", CODE_HINT),
            Column("rank", "rank"),
            Column("level", "level"),
            Column("handshake (ms)", "handshake_ms", "median of the samples", interval=True),
            Column("n", "n", "samples"),
            Column("cryptography (ms)", "primitives_ms", "five operations in it", interval=True),
            Column("rest (%)", "other_percent", "network, framing, waiting for a CPU"),
            Column("Φ(60 s) (%)", "phi_60_s_percent", interval=True),
            Column("rekey (ms)", "rekey_ms", "under traffic, until new keys in use", interval=True),
            Column("bytes", "wire_bytes", "public key, ciphertext and signature"),
            Column("p99 (ms)", "p99_drone_to_gcs_ms", "latency from the drone", interval=True),
            Column("loss (%)", "loss_percent", "of all datagrams of its samples", interval=True),
        ],
        note=INTERVALS_NOTE,
    )
    for rank, cell in enumerate(ordered, start=1):
        share = cell.get("d_handshake.other_share")
        table.add(
            context.of(cell, cell.name),
            Value(cell.code),
            Value(rank),
            Value(f"L{cell.level}"),
            context.value(cell, "d_handshake.total_ms"),
            context.of(cell, len(cell.samples)),
            context.value(cell, "d_handshake.primitives_ms"),
            context.of(cell, None if share is None else 100.0 * share),
            context.overhead(cell.handshake_ms, REKEY_S, context.link(cell), cell.spread),
            context.value(cell, "f_rekey.total_ms"),
            context.of(cell, cell.wire_bytes),
            context.value(cell, "h_latency_jitter.drone_to_gcs.p99_ms"),
            context.loss(f"loss of {cell.name}", [cell]),
        )
    return table


def _sentence(ordered: list[Cell]) -> str:
    fastest, slowest = ordered[0], ordered[-1]
    if fastest is slowest:
        return (
            f"The run has one suite, {fastest.name} with {short(fastest.handshake_ms or 0.0)} ms."
        )
    factor = factor_words((slowest.handshake_ms or 0.0) / (fastest.handshake_ms or 1.0))
    shares = [cell.get("d_handshake.other_share") for cell in ordered[: max(len(ordered) // 4, 1)]]
    known = [share for share in shares if share is not None]
    rest = (
        f" In the fastest quarter {100.0 * median(known):.0f} % of it is not cryptography."
        if known
        else ""
    )
    return (
        f"From {fastest.name} with {short(fastest.handshake_ms or 0.0)} ms to {slowest.name} with "
        f"{short(slowest.handshake_ms or 0.0)} ms "
        f"{f'it is {factor}' if factor else 'there is no difference'}.{rest}"
    )
