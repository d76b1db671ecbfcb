# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The words of the page that a reader may not know; each links to its meaning at its first use."""

from __future__ import annotations

import re

from pqc_bench.report.section import Raw, Section

WORDS = {
    "suite": "A KEM, a cipher (AEAD) and a signature that are used together. Its id, such as "
    "cs-mlkem768-aesgcm-mldsa65, is the value of the parameter suite.",
    "level": "NIST security level: 1, 3 or 5, as hard to break as AES-128, AES-192 or AES-256. "
    "ML-DSA-44 is of level 2 and counts as 1.",
    "tier": "Weight of a suite in the policy: a lower tier costs less.",
    "handshake": "The messages by which drone and ground station agree on keys. The first one has "
    "no keys made ahead.",
    "rekey": "The change to new keys during the flight, without a pause of the traffic.",
    "epoch": "The time between two rekeys, and its number; the first keys have epoch 0.",
    "scenario": "What else uses the CPU beside the tunnel: nothing (baseline), or a light or heavy "
    "CPU load.",
    "baseline": "The scenario without a CPU load, against which the others are compared.",
    "CPU load": "The program of the scenarios light and heavy: stress-ng with the CPU share and "
    "memory of two detectors of the earlier papers; no detector runs in it. With --detector it is "
    "the advisor of this project with its trees or its transformer, which need far less.",
    "detector": "A program on the drone that looks for attacks in the traffic.",
    "cell": "One launch of both tunnels: one suite in one scenario, with one load, over one link.",
    "disturbed": "Of a cell: other programs used more than 10 % of the CPU, the host of a virtual "
    "machine took away more than 5 %, or the CPU changed its clock. Marked with a triangle.",
    "flagged": "Of a cell: a sanity check found something odd; the reason is listed.",
    "interval": "Confidence interval. Of a median: by bootstrap, repetitions drawn anew within "
    "each suite and never across suites; with two to five repetitions it reaches 50, 75, 88 and "
    "94 %, from six on 95 %. Of a proportion: Wilson's, 95 %. It shows the chance of this run on "
    "this machine, not the difference to another machine.",
    "noise": "How much the repetitions of one suite differ.",
    "earlier papers": "The PQC-MAV papers and reports whose figures stand beside ours. They were "
    "measured on a Raspberry Pi 5 or 4.",
    "Φ": "The share of the time that handshakes take: T / (R + T) for a handshake of T and a rekey "
    "every R.",
}
_FORMS = re.compile(rf"\b({'|'.join(WORDS)})(?:s|ed)?\b", re.IGNORECASE)
# Elements whose text gets no links.
_PLAIN = re.compile(r"a|button|code|h\d|nav|script|summary|td|th")


def linked(html: str) -> str:
    """Return the HTML with a link at the first use of each word."""
    left = set(WORDS)
    inside = ""

    def link(found: re.Match[str]) -> str:
        word = next(known for known in WORDS if known.lower() == found[1].lower())
        if word not in left:
            return found[0]
        left.remove(word)
        return f'<a class="word" href="#{_id(word)}">{found[0]}</a>'

    parts = re.split(r"(<[^>]*>)", html)
    for place, part in enumerate(parts):
        if part.startswith("<"):
            name = re.sub(r"</?(\w+).*", r"\1", part, flags=re.DOTALL)
            if not inside and _PLAIN.fullmatch(name) and not part.startswith("</"):
                inside = name
            elif inside == name and part.startswith("</"):
                inside = ""
        elif not inside:
            parts[place] = _FORMS.sub(link, part)
    return "".join(parts)


def glossary() -> Section:
    """Return the words with their meanings."""
    entries = "".join(
        f'<dt id="{_id(word)}">{word}</dt><dd>{meaning}</dd>' for word, meaning in WORDS.items()
    )
    return Section("glossary", "Words on this page", "", [Raw(f"<dl>{entries}</dl>")])


def _id(word: str) -> str:
    return "word-" + ("phi" if word == "Φ" else word.replace(" ", "-"))
