# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes one HTML page that loads nothing: style, scripts and data are part of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib import resources

from pqc_bench.report.charts import script
from pqc_bench.report.section import Figure, Raw, Section, Tabulated
from pqc_bench.report.seeds_data import SeedTable, seeds_of
from pqc_bench.report.table import plain_table

# Columns that leave room for the published figures beside them.
_MOST_BESIDE = 6


def page(title: str, facts: Sequence[str], lead: str, sections: Sequence[Section]) -> str:
    """Return the page; `facts` are shown below the title, `lead` is HTML."""
    contents = "".join(f'<a href="#{s.id}">{escape(s.title)}</a>' for s in sections)
    body = "".join(_section(section) for section in sections)
    spans = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_file('page.css')}</style></head><body>"
        f'<header><h1>{escape(title)}</h1><p class="facts">{spans}</p></header>'
        f"<nav>{contents}</nav><main>{lead}{body}</main>"
        f"<script>{script()}</script><script>{_file('page.js')}</script></body></html>\n"
    )


def _section(section: Section) -> str:
    intro = f'<p class="intro">{escape(section.intro)}</p>' if section.intro else ""
    parts = "".join(_part(part) for part in section.parts)
    return f'<section id="{section.id}"><h2>{escape(section.title)}</h2>{intro}{parts}</section>'


def _part(part: Figure | Tabulated | Raw) -> str:
    if isinstance(part, Raw):
        return part.html
    if isinstance(part, Figure):
        return _figure(part)
    published = "".join(_published(seed) for name in part.seeds for seed in seeds_of(name))
    ours = f'<div class="ours"><h3>{escape(part.title)}</h3>{part.table.html(part.empty)}</div>'
    if not published:
        return f'<div class="tables">{ours}</div>'
    style = "stacked" if len(part.table.columns) > _MOST_BESIDE else "beside"
    return (
        f'<div class="tables {style}">{ours}<aside><h3>Earlier papers</h3>{published}</aside></div>'
    )


def _figure(figure: Figure) -> str:
    if isinstance(figure.chart, str):
        drawing = f'<p class="nodata">Nothing to draw: {escape(figure.chart)}</p>'
    else:
        # "</" would end the element.
        data = json.dumps(figure.chart, ensure_ascii=False).replace("</", "<\\/")
        drawing = (
            f'<div class="chart" role="img" aria-label="{escape(figure.title)}">'
            f'<script type="application/json">{data}</script><div></div></div>'
        )
    size = ' class="small"' if figure.small else ""
    note = f'<p class="note">{escape(figure.note)}</p>' if figure.note else ""
    return (
        f"<figure{size}><h3>{escape(figure.title)}</h3><figcaption>{escape(figure.sentence)}"
        f"</figcaption>{drawing}{note}</figure>"
    )


def _published(seed: SeedTable) -> str:
    note = f" {escape(seed.note)}" if seed.note else ""
    return (
        f"<div><h4>{escape(seed.title)}</h4>{plain_table(seed.columns, seed.rows)}"
        f'<p class="note"><cite>{escape(seed.source)}</cite>, {escape(seed.place)}. '
        f"{escape(seed.setting)}.{note}</p></div>"
    )


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
