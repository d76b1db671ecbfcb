# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One HTML page with nothing to load: style, script and charts are in it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources

from pqc_bench.report.section import Figure, Raw, Section, Tabulated
from pqc_bench.report.seeds_data import SeedTable, seeds_of
from pqc_bench.report.table import plain_table

# Columns that leave room for the published figures beside them.
_MOST_BESIDE = 6


def page(title: str, facts: Sequence[str], lead: str, sections: Sequence[Section]) -> str:
    """Return the page; `facts` stand below the title, `lead` is HTML."""
    contents = "".join(f'<a href="#{s.id}">{escape(s.title)}</a>' for s in sections)
    body = "".join(_section(section) for section in sections)
    told = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_file('page.css')}</style></head><body>"
        f'<header><h1>{escape(title)}</h1><p class="facts">{told}</p></header>'
        f"<nav>{contents}</nav><main>{lead}{body}</main>"
        f"<script>{_file('page.js')}</script></body></html>\n"
    )


def _section(section: Section) -> str:
    intro = f'<p class="intro">{escape(section.intro)}</p>' if section.intro else ""
    parts = "".join(_part(part) for part in section.parts)
    return f'<section id="{section.id}"><h2>{escape(section.title)}</h2>{intro}{parts}</section>'


def _part(part: Figure | Tabulated | Raw) -> str:
    if isinstance(part, Raw):
        return part.html
    if isinstance(part, Figure):
        size = ' class="small"' if part.small else ""
        return (
            f"<figure{size}><h3>{escape(part.title)}</h3><figcaption>{escape(part.sentence)}"
            f"</figcaption>{part.legend}<div class='draw'>{part.chart}</div></figure>"
        )
    published = "".join(_published(seed) for name in part.seeds for seed in seeds_of(name))
    ours = f'<div class="ours"><h3>{escape(part.title)}</h3>{part.table.html(part.empty)}</div>'
    if not published:
        return f'<div class="tables">{ours}</div>'
    style = "stacked" if len(part.table.columns) > _MOST_BESIDE else "beside"
    return f'<div class="tables {style}">{ours}<aside><h3>Published</h3>{published}</aside></div>'


def _published(seed: SeedTable) -> str:
    note = f" {escape(seed.note)}" if seed.note else ""
    return (
        f"<div><h4>{escape(seed.title)}</h4>{plain_table(seed.columns, seed.rows)}"
        f'<p class="note"><cite>{escape(seed.source)}</cite>, {escape(seed.place)} (seed '
        f"{seed.seed}). {escape(seed.setting)}.{note}</p></div>"
    )


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
