# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite the page says to fly, and when it says that none can be named or believed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pqc_bench.metrics import write_metrics
from report_page import ONE, page_of, small_run
from report_run import make_run


def test_the_page_answers_which_suite_to_fly(whole_page: str) -> None:
    (answer,) = re.findall(r'<section id="answer">(.*?)</section>', whole_page, re.DOTALL)
    words = re.sub(r"<.*?>", "", answer)
    assert words.startswith(f"Which suite should I fly?Fly {ONE} Copy")
    assert f'<button type="button" data-copy="suite: {ONE}">' in answer
    assert "ML-KEM-768 · ML-DSA-65 · AES-256-GCM, NIST level 3. In config/drone.yaml" in words
    assert "It is the shipped default: no figure of this run excludes it." in words
    assert re.search(r"First handshake [\d.]+ ms \(one sample: no interval\)", words)
    # No cell has a power sensor.
    assert "an encapsulation and a verification, takes" not in words
    assert "(one sample: no interval; all keys made ahead)" in words
    assert "One sample of each suite, so suites have no interval" in words
    assert "in light and" in answer
    assert "with a key shorter than the level requires" in answer
    assert re.search(r"AES-256-GCM seals and opens 256 bytes in [\d.]+ µs\.", words)


def test_a_run_of_experimental_suites_only_says_so(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run", "cs-hqc???-aesgcm-mldsa*"))
    assert "would choose no suite of this run: 3 experimental.</p>" in html
    assert "keeps its rekeys under" not in html


def test_a_run_of_costly_suites_only_says_so(tmp_path: Path) -> None:
    slow = make_run(
        tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), speed=False, slower=500.0
    )
    assert "keeps its rekeys under 1 % of the time." in page_of(slow)


def test_a_run_of_unpublished_algorithms_only_says_so(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run", "cs-classicmceliece*-aesgcm-mldsa*"))
    assert (
        "<p>None: the shipped parameters would choose no suite of this run: 3 with algorithms that "
        "FIPS does not publish." in html
    )


def disturb(folder: Path, scenario: str, text: str = "Other programs used 60 % of the CPU.") -> int:
    """Flag all cells of a scenario as disturbed; return their number."""
    changed = 0
    for file in folder.glob(f"cells/{scenario}/**/metrics.json"):
        metrics = json.loads(file.read_text())
        metrics["r_validation"] |= {"flags": [{"name": "disturbed", "text": text}], "sane": False}
        write_metrics(file, metrics)
        changed += 1
    return changed


def test_an_answer_from_disturbed_cells_is_not_reliable(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline", "light"), False)
    disturb(folder, "baseline")
    html = page_of(folder)
    words = re.sub(r"<.*?>", "", html)
    assert "Not reliable: 3 of 3 cells of scenario baseline, load mavlink, link clean" in words
    assert "Other programs used 60 % of the CPU." in words
    assert words.index("Not reliable") < words.index("Not to be relied on: cs-")
    assert "Fly cs-" not in words
    assert '<p class="pick doubtful">' in html, "no answer in green"
    assert "3 of 6 cells were disturbed" in words
    assert '<span class="disturbed" title="disturbed">▲</span>' in html
    assert '"disturbed": true' in html


def test_disturbed_cells_of_another_scenario_leave_the_answer_reliable(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline", "light"), False)
    disturb(folder, "light")
    html = page_of(folder)
    assert "Not reliable" not in html
    assert '<p class="pick">Fly ' in html
    assert "3 of 6 cells were disturbed" in html
