# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite the report recommends: the shipped default, unless the figures exclude it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pqc_bench.metrics import write_metrics
from pqc_bench.report.answer import USUAL as ANSWERED
from pqc_bench.report.build import run_report
from pqc_bench.report.context import Context
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.intervals import Interval
from pqc_bench.report.planner import Basis, Option, Plan, noise_of, options_of, plan
from pqc_bench.report.run_data import Run, read_run_folder
from pqc_bench.report.sections.fleets import reason
from pqc_bench.report.shipped import Shipped, shipped
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.suites import DEFAULT_SUITE, find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor
from report_run import make_run

SOURCE = Path(__file__).parents[3]
USUAL = Fleet("usual", battery_wh=60.0, minutes=30.0, level=1, rekey_s=60.0)
HOME = Shipped(find_suite(DEFAULT_SUITE), 3)  # type: ignore[arg-type]
CORE_W = 0.8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = make_run(tmp_path_factory.mktemp("runs") / "run", scenarios=("baseline",), repeat=2)
    return read_run_folder(folder)


@pytest.fixture
def options(run: Run) -> list[Option]:
    return options_of(run.main())


def planned(options: list[Option], fleet: Fleet = USUAL, **more: Any) -> Plan:
    return plan(options, fleet, CORE_W, more.pop("noise", 0.05), HOME, **more)


def edited(options: list[Option], suite: str, **values: Any) -> list[Option]:
    return [replace(one, **values) if one.suite.id == suite else one for one in options]


def test_there_is_one_default_suite() -> None:
    text = (SOURCE / "config" / "drone.yaml").read_text(encoding="utf-8")
    drone = yaml.safe_load(text)["/**/tunnel"]["ros__parameters"]
    assert drone["suite"] == DEFAULT_SUITE == shipped().suite.id
    source = SOURCE / "src" / "pqc_tunnel" / "src" / "config" / "parameter_table.cpp"
    assert set(re.findall(r'"(cs-[\w-]+)"', source.read_text(encoding="utf-8"))) == {DEFAULT_SUITE}
    assert TunnelFloor().start == shipped().suite
    policy = PolicyConfig()
    assert policy.ceiling == policy.expert.balanced_suite == DEFAULT_SUITE
    default = find_suite(DEFAULT_SUITE)
    assert default is not None
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


def test_among_equals_the_shipped_default_wins(options: list[Option]) -> None:
    found = planned(options)
    assert found.chosen is not None
    assert found.chosen.option.suite.id == DEFAULT_SUITE
    assert len(found.tied) > 1


def test_without_the_default_the_highest_level_then_the_fewest_bytes(
    options: list[Option],
) -> None:
    found = planned([one for one in options if one.suite.id != DEFAULT_SUITE])
    assert found.chosen is not None
    suite = found.chosen.option.suite
    assert (suite.kem, suite.signature) == ("mlkem1024", "mldsa87")


def test_a_plan_keeps_to_the_shipped_level_and_to_published_algorithms(
    options: list[Option],
) -> None:
    found = planned(options)
    for cost in found.fitting:
        suite = cost.option.suite
        assert suite.published and suite.level >= 3
        assert cost.option.key_bits == 256
    assert found.left_out.unpublished == sum(
        not (one.suite.published or one.suite.experimental) for one in options
    )
    assert found.left_out.experimental == sum(one.suite.experimental for one in options)
    assert found.left_out.below_level and found.left_out.weak_cipher


def test_the_default_stays_while_its_interval_reaches_the_fastest(
    options: list[Option],
) -> None:
    """With a rekey every 20 s 30 ms do matter, and intervals decide."""
    often = replace(USUAL, rekey_s=20.0)
    strong = [one for one in options if one.suite.aead == "aesgcm" and one.suite.published]
    mlkem1024 = "cs-mlkem1024-aesgcm-mldsa87"
    strong = edited(strong, mlkem1024, handshake_ms=100.0, spread=Interval(95.0, 105.0, 6))
    wide = Interval(104.0, 150.0, 6)
    slow = edited(strong, DEFAULT_SUITE, handshake_ms=130.0, spread=wide)
    found = planned(slow, often, noise=0.01)
    assert found.chosen is not None
    assert found.chosen.option.suite.id == DEFAULT_SUITE
    narrow = Interval(125.0, 135.0, 6)
    slow = edited(strong, DEFAULT_SUITE, handshake_ms=130.0, spread=narrow)
    found = planned(slow, often, noise=0.5)
    assert found.chosen is not None
    assert found.chosen.option.suite.id == mlkem1024, "95 % intervals decide, not the noise"
    # Three samples have no 95 % interval: the noise of the run counts, too.
    few = Interval(125.0, 135.0, 3, 0.75)
    found = planned(edited(slow, DEFAULT_SUITE, spread=few), often, noise=0.5)
    assert found.chosen is not None
    assert found.chosen.option.suite.id == DEFAULT_SUITE


def test_a_limit_is_passed_only_if_the_whole_interval_passes_it(options: list[Option]) -> None:
    (one,) = (option for option in options if option.suite.id == DEFAULT_SUITE)
    slow = replace(one, handshake_ms=700.0, spread=Interval(590.0, 900.0, 6))
    assert planned([slow]).chosen is not None
    slower = replace(one, handshake_ms=700.0, spread=Interval(650.0, 900.0, 6))
    found = planned([slower])
    assert found.chosen is None
    assert [cost.option for cost in found.too_costly] == [slower]


def test_a_cheaper_cipher_takes_the_place_of_the_default(options: list[Option]) -> None:
    found = planned(options, ciphers=("chacha20poly1305", "aesgcm"))
    assert found.chosen is not None
    assert found.chosen.option.suite.aead == "chacha20poly1305"


def test_energy_is_the_drones_own_work(options: list[Option]) -> None:
    (one,) = (option for option in options if option.suite.id == DEFAULT_SUITE)
    first = one.cell.samples[0].metrics["e_primitives"]
    assert one.drone_ms == pytest.approx(first["encapsulate_ms"] + first["verify_ms"])
    cost = planned([one]).fitting[0]
    assert cost.rekeys == 30
    assert cost.energy_j == pytest.approx(30 * CORE_W * (one.drone_ms or 0.0) / 1000.0)
    assert cost.battery_share == pytest.approx((cost.energy_j or 0.0) / (60.0 * 3600.0))
    # Key generation and signature of the ground station change the time, not the energy.
    longer = replace(one, handshake_ms=10.0 * one.handshake_ms)
    assert planned([longer]).fitting[0].energy_j == cost.energy_j


def test_repetitions_of_a_suite_give_the_noise_and_ciphers_do_not(run: Run) -> None:
    cells = [cell for cell in run.main() if cell.kem == "mlkem768"]
    assert len(cells) == 4
    found = options_of(cells)
    assert {option.suite.aead for option in found} == {
        "aesgcm",
        "chacha20poly1305",
        "ascon128a",
        "asconaead128",
    }
    for option in found:
        times = option.cell.all("d_handshake.total_ms")
        assert option.spread is not None
        assert (option.spread.n, option.least_ms, option.most_ms) == (2, min(times), max(times))
        assert option.spread.sure == 0.5
    spreads = sorted((one.most_ms - one.least_ms) / one.handshake_ms for one in found)
    assert noise_of(found) == pytest.approx((spreads[1] + spreads[2]) / 2.0)
    assert noise_of([replace(one, spread=None) for one in found]) is None


def test_on_a_slow_link_with_frequent_rekeys_fewer_bytes_win_or_nothing_fits(
    options: list[Option],
) -> None:
    slow = replace(USUAL, link_kbit_s=100.0, rekey_s=60.0)
    found = planned(options, slow)
    assert found.chosen is not None
    assert found.chosen.option.wire_bytes == min(c.option.wire_bytes for c in found.fitting)
    assert planned(options, replace(slow, link_kbit_s=1.0)).chosen is None


def test_where_keys_lie_ready_rekeys_cost_what_the_runs_own_did(options: list[Option]) -> None:
    slow = [replace(one, handshake_ms=700.0, spread=None, rekey_ms=3.0) for one in options]
    often = replace(USUAL, rekey_s=10.0)
    assert planned(slow, often).chosen is None
    found = planned(slow, often, basis=Basis.REKEY)
    assert found.chosen is not None
    assert found.chosen.ms == 3.0
    assert found.chosen.phi == pytest.approx(3.0 / 10003.0)


def test_what_has_no_measured_rekey_is_not_planned_with_one(options: list[Option]) -> None:
    found = edited(options, DEFAULT_SUITE, rekey_ms=None)
    by_rekey = planned(found, basis=Basis.REKEY)
    assert by_rekey.left_out.unmeasured == 1
    assert "1 without a measured rekey" in reason(by_rekey)
    assert planned(found).left_out.unmeasured == 0


def test_the_advice_depends_on_the_reason_that_no_suite_fits(options: list[Option]) -> None:
    impossible = replace(USUAL, link_kbit_s=0.01)

    def advice(fleet: Fleet, of: list[Option]) -> str:
        return reason(planned(of, fleet)).partition(" Left out: ")[0]

    assert advice(replace(impossible, level=5), options) == (
        "Nothing fits: rekey less often or lower the level."
    )
    weak = [one for one in options if one.level == 1 and one.suite.published]
    assert advice(USUAL, weak) == "Nothing fits: lower the level."


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


def test_the_answers_fleet_has_the_shipped_level(run: Run) -> None:
    context = Context(run, run.folder)
    assert max(ANSWERED.level, context.shipped.min_level) == 3
