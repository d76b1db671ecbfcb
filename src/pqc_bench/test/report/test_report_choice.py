# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite the report recommends: the shipped default, unless the figures exclude it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pqc_bench.cell.scenario import SCENARIOS
from pqc_bench.metrics import write_metrics
from pqc_bench.report import names
from pqc_bench.report.build import run_report
from pqc_bench.report.choice import Choice, CipherCost, Shipped, choose, noise_of, shipped
from pqc_bench.report.intervals import Interval
from pqc_bench.report.power import REKEYS, Power, rekeys_j
from pqc_bench.report.run_data import Cell, Run, read_run_folder
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.suites import AEADS, DEFAULT_SUITE, KEMS, SIGNATURES, find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor
from report_run import make_run

SOURCE = Path(__file__).parents[4]
HOME = Shipped(find_suite(DEFAULT_SUITE), 3)  # type: ignore[arg-type]
STRONGEST = "cs-mlkem1024-aesgcm-mldsa87"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = make_run(tmp_path_factory.mktemp("runs") / "run", scenarios=("baseline",), repeat=2)
    return read_run_folder(folder)


@pytest.fixture
def cells(run: Run) -> list[Cell]:
    return run.main()


def chosen(cells: Sequence[Cell], costs: dict[str, CipherCost] | None = None) -> Choice:
    return choose(cells, HOME, costs or {})


def timed(cells: Sequence[Cell], suite: str, *times_ms: float) -> list[Cell]:
    """Return the cells, that of a suite with a sample for each of these handshakes."""

    def sample(one: Cell, took_ms: float) -> Any:
        metrics = copy.deepcopy(one.samples[0].metrics)
        metrics["d_handshake"]["total_ms"] = took_ms
        return replace(one.samples[0], metrics=metrics)

    return [
        Cell(one.id, [sample(one, ms) for ms in times_ms]) if one.suite == suite else one
        for one in cells
    ]


def test_there_is_one_default_suite() -> None:
    text = (SOURCE / "config" / "drone.yaml").read_text(encoding="utf-8")
    commented = "\n".join(line.replace("    # ", "    ", 1) for line in text.splitlines())
    drone = {
        name: yaml.safe_load(value)
        for name, value in re.findall(r"^    ([a-z_]+): ([\w-]+)", commented, re.M)
    }
    assert drone["profile"] == "default"  # which leaves the others to the table
    assert drone["suite"] == DEFAULT_SUITE == shipped().suite.id
    source = SOURCE / "src" / "pqc_tunnel" / "src" / "config" / "parameter_table.cpp"
    assert set(re.findall(r'"(cs-[\w-]+)"', source.read_text(encoding="utf-8"))) == {DEFAULT_SUITE}
    assert TunnelFloor().start == shipped().suite
    policy = PolicyConfig()
    assert policy.ceiling == policy.expert.balanced_suite == DEFAULT_SUITE
    default = find_suite(DEFAULT_SUITE)
    assert default.published
    # 0 stands for the level of the suite (docs/decisions/0014).
    assert (drone["min_level"] or default.level) == default.level == shipped().min_level
    assert drone["allow_experimental"] is False


def test_the_floor_of_the_tunnel_is_that_of_its_suite_unless_it_is_set() -> None:
    strongest = "cs-mlkem1024-aesgcm-mldsa87"
    assert tunnel_floor({}).min_level == TunnelFloor().min_level == 3
    assert tunnel_floor({"min_level": 0, "suite": strongest}).min_level == 5
    assert tunnel_floor({"min_level": 1, "suite": strongest}).min_level == 1


def test_the_documents_name_the_default_and_recommend_no_other() -> None:
    for name in ("docs/benchmarks.md", "docs/tutorials/read-a-report.md"):
        text = (SOURCE / name).read_text(encoding="utf-8")
        assert DEFAULT_SUITE in text
        assert re.findall(r"\*\*Fly [`]?([^`*]+)", text) in ([], [DEFAULT_SUITE])


@pytest.mark.parametrize("token", [*KEMS, *SIGNATURES, *AEADS, *SCENARIOS])
def test_every_algorithm_has_a_name_of_its_own(token: str) -> None:
    assert names.place(token) < len((*KEMS, *SIGNATURES, *AEADS, *SCENARIOS))
    if token not in SCENARIOS:
        assert names.display(token) != token
        others = {one for one in (*KEMS, *SIGNATURES, *AEADS) if one != token}
        assert names.display(token) not in map(names.display, others)


def test_among_equals_the_shipped_default_wins(cells: list[Cell]) -> None:
    found = chosen(cells)
    assert found.chosen.suite == DEFAULT_SUITE
    assert len(found.tied) > 1


def test_without_the_default_the_highest_level_then_the_fewest_bytes(cells: list[Cell]) -> None:
    found = chosen([one for one in cells if one.suite != DEFAULT_SUITE])
    assert found.chosen.pair == ("mlkem1024", "mldsa87")


def test_the_choice_keeps_to_the_shipped_level_and_to_published_algorithms(
    cells: list[Cell],
) -> None:
    found = chosen(cells)
    suites = [find_suite(one.suite) for one in cells]
    for one in found.tied:
        suite = find_suite(one.suite)
        assert suite is not None and suite.published and suite.level >= 3
        assert one.get("b_crypto_identity.aead_key_bits") == 256
    unpublished = sum(not (one.published or one.experimental) for one in suites if one)
    assert found.left_out["with algorithms that FIPS does not publish"] == unpublished
    assert found.left_out["experimental"] == sum(one.experimental for one in suites if one)
    assert found.left_out["below the level"]
    assert found.left_out["with a key shorter than the level requires"]


def test_the_default_stays_while_its_interval_reaches_the_fastest(cells: list[Cell]) -> None:
    """From 60 ms on the time does matter, and intervals decide."""
    both = [one for one in cells if one.suite in (STRONGEST, DEFAULT_SUITE)]
    both = timed(both, STRONGEST, 95.0, 97.0, 99.0, 101.0, 103.0, 105.0)
    wide = timed(both, DEFAULT_SUITE, 100.0, 101.0, 128.0, 132.0, 140.0, 150.0)
    found = chosen(wide)
    assert found.chosen.suite == DEFAULT_SUITE
    narrow = timed(both, DEFAULT_SUITE, 125.0, 127.0, 129.0, 131.0, 133.0, 135.0)
    found = chosen(narrow)
    assert found.chosen.suite == STRONGEST
    assert "it takes 130 ms and ML-KEM-1024 " in found.against_default
    assert "a difference that is larger than its uncertainty" in found.against_default


def test_without_95_percent_intervals_the_noise_of_the_run_counts_too(cells: list[Cell]) -> None:
    both = [one for one in cells if one.suite in (STRONGEST, DEFAULT_SUITE)]
    both = timed(both, STRONGEST, 80.0, 100.0, 120.0)
    noisy = timed(both, DEFAULT_SUITE, 125.0, 130.0, 180.0)
    assert (noise_of(noisy) or 0.0) > 0.3
    found = chosen(noisy)
    assert found.chosen.suite == DEFAULT_SUITE
    quiet = timed(both, STRONGEST, 99.0, 100.0, 101.0)
    quiet = timed(quiet, DEFAULT_SUITE, 129.0, 130.0, 131.0)
    found = chosen(quiet)
    assert found.chosen.suite == STRONGEST


def test_the_limit_is_passed_only_if_the_whole_interval_passes_it(cells: list[Cell]) -> None:
    alone = [one for one in cells if one.suite == DEFAULT_SUITE]
    (slow,) = timed(alone, DEFAULT_SUITE, 590.0, 700.0, 900.0)
    assert chosen([slow]).chosen is slow
    (slower,) = timed(alone, DEFAULT_SUITE, 650.0, 700.0, 900.0)
    found = chosen([slower])
    assert found.chosen is None
    assert found.too_costly == [slower]
    assert found.against_default.startswith("its rekeys take 1.15 % of the time")


@pytest.mark.parametrize(
    ("us", "least_us", "aead"),
    [(9.0, 8.0, "chacha20poly1305"), (9.0, 2.0, "aesgcm"), (3.0, 2.5, "aesgcm")],
    ids=["cheaper beyond the spread", "within the spread", "by too little to matter"],
)
def test_only_a_cipher_that_is_cheaper_beyond_doubt_takes_the_place_of_the_default(
    cells: list[Cell], us: float, least_us: float, aead: str
) -> None:
    costs = {
        "chacha20poly1305": CipherCost(1.0, Interval(0.9, 2.1, 200, 0.9)),
        "aesgcm": CipherCost(us, Interval(least_us, 10.0, 200, 0.9)),
    }
    found = chosen(cells, costs)
    assert found.chosen.aead == aead


def test_energy_is_the_drones_own_work(cells: list[Cell]) -> None:
    (one,) = (cell for cell in cells if cell.suite == DEFAULT_SUITE)
    first = one.samples[0].metrics["e_primitives"]
    assert one.drone_ms == pytest.approx(first["encapsulate_ms"] + first["verify_ms"])
    core = Power(0.8, "assumed", [])
    assert rekeys_j(one, core) == pytest.approx(REKEYS * 0.8 * (one.drone_ms or 0.0) / 1000.0)
    # Key generation and signature of the ground station change the time, not the energy.
    (longer,) = timed([one], DEFAULT_SUITE, 10.0 * (one.handshake_ms or 0.0))
    assert rekeys_j(longer, core) == rekeys_j(one, core)


def test_repetitions_of_a_suite_give_the_noise_and_ciphers_do_not(cells: list[Cell]) -> None:
    pair = [cell for cell in cells if cell.kem == "mlkem768"]
    assert {cell.aead for cell in pair} == set(AEADS)
    for cell in pair:
        assert (cell.spread.n, cell.spread.sure) == (2, 0.5)
    times = [cell.handshakes_ms for cell in pair]
    spreads = sorted((max(of) - min(of)) / (sum(of) / 2.0) for of in times)
    assert noise_of(pair) == pytest.approx((spreads[1] + spreads[2]) / 2.0)
    assert noise_of([Cell(cell.id, cell.samples[:1]) for cell in pair]) is None


def changed(
    folder: Path, of: Callable[[str], bool], change: Callable[[dict[str, Any]], None]
) -> str:
    """Change the metrics of the suites that `of` accepts; return the words of the answer."""
    for file in folder.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        if of(metrics["a_run_context"]["suite"]):
            change(metrics)
            write_metrics(file, metrics)
    html = run_report(read_run_folder(folder), folder).html
    (answer,) = re.findall(r'<section id="answer">(.*?)</section>', html, re.DOTALL)
    return re.sub(r"<.*?>", "", answer)


def slow_down(metrics: dict[str, Any]) -> None:
    metrics["d_handshake"]["total_ms"] += 900.0


def test_a_default_that_is_too_slow_is_excluded_with_the_reason(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), False)
    words = changed(folder, lambda suite: suite == DEFAULT_SUITE, slow_down)
    assert "Fly cs-mlkem1024-aesgcm-mldsa87" in words
    assert "The figures of this run exclude the shipped default, " + DEFAULT_SUITE in words
    assert "its rekeys take 1.48 % of the time, and no more than 1 % is acceptable." in words


def test_a_run_without_the_default_gives_no_reason_against_it(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem1024-aesgcm-mldsa87", ("baseline",), False)
    words = changed(folder, lambda _: False, slow_down)
    assert "Of the suites of this run, fly cs-mlkem1024-aesgcm-mldsa87" in words
    assert f"did not measure the shipped default, {DEFAULT_SUITE}, and so gives no reason" in words


def test_a_cipher_that_costs_less_beyond_its_spread_excludes_the_default(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem768-*-mldsa65", ("baseline",))
    speed = json.loads((folder / "speed.json").read_text())
    for subject in speed["aeads"]:
        if subject["algorithm"] == "aesgcm":
            for operation in subject["operations"]:
                for name in ("p5_ns", "median_ns", "p95_ns"):
                    operation[name] *= 40.0
    (folder / "speed.json").write_text(json.dumps(speed))
    words = changed(folder, lambda _: False, slow_down)
    assert "Fly cs-mlkem768-chacha20poly1305-mldsa65" in words
    assert "ChaCha20-Poly1305 saves" in words
    assert "of a core at 320 messages a second over AES-256-GCM, more than the spread" in words
