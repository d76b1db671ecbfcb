# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of pqc_speed, and policy profiles made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from exit_code import exit_code
from pqc_bench.bench_command import main
from pqc_bench.cost.sensors import Sensors
from pqc_bench.power.trace import Trace
from pqc_bench.speed import busy_core
from pqc_bench.speed import run as speed
from pqc_bench.speed.busy_core import BusyCore
from pqc_bench.speed.profile import policy_profile
from pqc_bench.speed.program import run_speed
from pqc_bench.speed.speed_text import lines
from pqc_policy.policy.profile import load_profile
from pqc_policy.policy.suites import KEMS, SIGNATURES, SUITES, find_suite
from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault

_KEM = {"keygen": 1e6, "encapsulate": 2e6, "decapsulate": 4e6}
_SIGNATURE = {"keygen": 5e6, "sign": 8e6, "verify": 16e6}


def _subject(name: str, medians: dict[str, float]) -> dict[str, Any]:
    return _entry(name, [{"operation": of, **_times(ns)} for of, ns in medians.items()])


def _times(median_ns: float, spread_ns: float = 0.0) -> dict[str, Any]:
    low, high = (
        {f"{name}_ns": median_ns + ns for name in names}
        for ns, names in ((-spread_ns, ("p5", "p25")), (spread_ns, ("p75", "p95", "max")))
    )
    counts = {"samples": 9, "operations_timed": 9, "cut": False, "failed": 0}
    return {**low, "median_ns": median_ns, **high, **counts}


def _entry(name: str, operations: list[dict[str, Any]]) -> dict[str, Any]:
    known = {"name": name.upper(), "available": True, "reason": ""}
    return {"algorithm": name, "operations": operations, **known}


def _cipher(name: str, nanoseconds: float, spread: float = 0.0) -> dict[str, Any]:
    """Return the times of a cipher: these for 256 bytes, a tenth of them for 64."""
    operations = [
        {
            "operation": operation,
            "text_bytes": size,
            **_times(scale * nanoseconds, scale * spread),
        }
        for operation in ("seal", "open")
        for size, scale in ((64, 0.1), (256, 1.0))
    ]
    return _entry(name, operations)


def _report() -> dict[str, Any]:
    return {
        "format": 1,
        "count": 200,
        "rounds": 200,
        "operations_failed": 0,
        "kems": [_subject(name, _KEM) for name in KEMS],
        "signatures": [_subject(name, _SIGNATURE) for name in SIGNATURES],
        "aeads": [_cipher("aesgcm", 200.0, 4.0), _cipher("ascon128a", 1000.0, 10.0)],
    }


def _rekeys() -> dict[str, Any]:
    """Return what `bench rekey` writes, as far as a profile reads it."""
    return {
        "suites": [
            _rekey("cs-hqc192-ascon128a-mldsa65", 12.0),
            _rekey("cs-mlkem512-aesgcm-falcon512", 25.0),
        ],
        "totals": {"rate": 320, "size": 100, "steady_gap_ms": 9.0},
    }


def _rekey(suite: str, gap_ms: float) -> dict[str, Any]:
    times = {"handshake_ms": 103.0, "primitives_ms": 3.0}
    return {
        "suite": suite,
        "rekeys": 1,
        "new_sessions": 0,
        "longest_gap_ms": gap_ms,
        "bytes": 11000,
        **times,
    }


def _program(folder: Path, report: dict[str, Any] | None, code: int = 0) -> Path:
    """Make a stand-in for pqc_speed that writes this report and ends with this code."""
    program = folder / "program"
    text = "" if report is None else json.dumps(report)
    program.write_text(
        f"#!/bin/sh\necho 'pqc_speed: no such thing.' >&2\necho '{text}'\nexit {code}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def test_the_policy_loads_a_profile_made_of_a_report(tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(policy_profile(_report(), "bench", _rekeys())), encoding="utf-8")
    profile = load_profile(file)
    suite = find_suite("cs-hqc192-ascon128a-mldsa65")
    assert suite is not None
    assert profile.name == "bench"
    assert profile.cost(suite).handshake_s == pytest.approx(0.100 + 0.007 + 0.024)
    assert profile.cost(suite).power_w is None
    assert profile.cost(suite).interruption_s == pytest.approx(0.012)
    assert profile.cost(suite).rekey_s == pytest.approx(0.103)
    assert profile.cost(suite).rekey_bytes == 11000 + suite.prekey_bytes
    other = find_suite("cs-mlkem768-aesgcm-mldsa65")
    assert other is not None
    assert profile.cost(other).interruption_s == pytest.approx(0.025)
    # A suite that was not measured takes what its work does, with keys made ahead.
    assert 0.1 < profile.cost(other).rekey_s < profile.cost(other).handshake_s


@pytest.fixture
def measured_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand-ins for the programs that take minutes; return what the storm of rekeys will."""
    rekeys = {**_rekeys(), "faults": []}
    program = _program(tmp_path, _report())
    monkeypatch.setattr(speed, "tool_program", lambda _: program)
    monkeypatch.setattr(speed, "storm", lambda options: {**rekeys, "asked": vars(options)})
    return rekeys


def _bench(*words: str) -> int:
    return main(["speed", *words])


def test_one_command_measures_interruptions_bytes_and_times_of_rekeys(
    tmp_path: Path, measured_parts: dict[str, Any]
) -> None:
    file = tmp_path / "profile.json"
    assert _bench("--profile", str(file)) == 0
    document = json.loads(file.read_text(encoding="utf-8"))
    own = document["suites"]["cs-hqc192-ascon128a-mldsa65"]
    assert own.keys() == {"interruption_ms", "rekey_ms", "rekey_bytes"}
    longest_s = max(cost.interruption_s for cost in load_profile(file).costs.values())
    assert longest_s == pytest.approx(0.025), "no suite is taken for one that stops the data"


def test_the_rekeys_are_those_of_every_suite_with_prekeys_at_the_drone() -> None:
    asked = speed.every_suite_ahead()
    assert asked.suites == [suite.id for suite in SUITES]
    assert (asked.ahead, asked.loss, asked.seed, asked.repeat) == (True, 0.0, 1, 1)


def test_rekeys_with_faults_give_a_profile_and_exit_code_1(
    tmp_path: Path, measured_parts: dict[str, Any]
) -> None:
    measured_parts["faults"] = ["a datagram was lost"]
    file = tmp_path / "profile.json"
    assert _bench("--profile", str(file)) == 1
    assert load_profile(file).name == "measured"


def test_rekeys_that_were_measured_before_are_not_measured_again(
    tmp_path: Path, measured_parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "storm", None)
    before, file = tmp_path / "rekeys.json", tmp_path / "profile.json"
    before.write_text(json.dumps(measured_parts), encoding="utf-8")
    assert _bench("--profile", str(file), "--rekeys", str(before)) == 0
    assert "interruption_ms" in json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [("totals", "isn't a result of `bench rekey`"), ("new_sessions", "is of an older `bench rek")],
)
def test_a_result_that_lacks_what_a_profile_needs_is_refused(
    lacking: str,
    sentence: str,
    tmp_path: Path,
    measured_parts: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured_parts.pop(lacking, None)
    for record in measured_parts["suites"]:
        record.pop(lacking, None)
    before = tmp_path / "rekeys.json"
    before.write_text(json.dumps(measured_parts), encoding="utf-8")
    with pytest.raises(SystemExit):
        _bench("--profile", str(tmp_path / "profile.json"), "--rekeys", str(before))
    assert sentence in capsys.readouterr().err


def test_without_a_power_sensor_the_profile_has_no_power_and_the_output_says_so(
    tmp_path: Path, measured_parts: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file, sys_root = tmp_path / "profile.json", tmp_path / "sys"
    sys_root.mkdir()
    assert _bench("--profile", str(file), "--sys-root", str(sys_root)) == 0
    assert (
        "This computer has no power sensor (INA219 or RAPL): the profile has no power"
        in capsys.readouterr().out
    )
    document = json.loads(file.read_text(encoding="utf-8"))
    assert "busy_w" not in document
    assert not any("cipher_w" in suite for suite in document["suites"].values())


def test_a_profile_may_be_made_without_power_and_not_with_a_meter(
    tmp_path: Path, measured_parts: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["speed", "--profile", str(tmp_path / "profile.json"), "--power"]
    assert exit_code([*words, "none"]) == 0
    assert "the profile has no power" in capsys.readouterr().out
    assert exit_code([*words, "meter"]) == 2
    assert exit_code(["speed", "--power", "none"]) == 2


def test_power_that_does_not_follow_a_busy_core_is_left_out(
    tmp_path: Path, measured_parts: dict[str, Any], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(busy_core, "WINDOW_S", 0.3)
    monkeypatch.setattr(busy_core, "SETTLE_S", 0.0)
    file, sys_root = tmp_path / "profile.json", Sensors(tmp_path / "sys").root
    assert _bench("--profile", str(file), "--sys-root", str(sys_root)) == 0
    assert "hwmon shows no busy core" in capsys.readouterr().out
    assert "busy_w" not in json.loads(file.read_text(encoding="utf-8"))


class Board:
    """A computer whose clock only waiting advances, and what its power sensor would see."""

    def __init__(self, busy_w: float, noise_w: float = 0.0) -> None:
        self.now, self.busy, self.busy_w, self.noise_w = 50.0, False, busy_w, noise_w
        self.random = Random(1)
        self.seen: list[tuple[float, float]] = []

    def wait(self, seconds: float) -> None:
        # A disturbance lasts as long as a window.
        watts = 4.0 + self.busy * self.busy_w + self.noise_w * self.random.gauss()
        steps = round(seconds * 100)
        self.seen += [(self.now + step / 100, watts) for step in range(steps)]
        self.now += seconds

    @contextmanager
    def work(self) -> Iterator[None]:
        self.busy = True
        yield
        self.busy = False

    def measured_w(self) -> float | None:
        rounds = busy_core.take_rounds(self.work, lambda: self.now, self.wait)
        times, watts = np.array([*self.seen, (self.now, self.seen[-1][1])]).T
        facts = {"rate_hz": "100", "monotonic_s": "50", "source": "iio"}
        trace = Trace(times - 50.0, watts, np.zeros(len(times)), facts)
        return busy_core.busy_core_w(trace, rounds)


def test_a_busy_core_takes_what_the_sensor_shows_more() -> None:
    assert Board(1.5).measured_w() == pytest.approx(1.5, abs=0.01)
    assert Board(0.0).measured_w() is None
    assert Board(0.1, noise_w=1.0).measured_w() is None


def test_a_profile_with_power_has_the_energy_of_rekeys_and_ciphers(tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    document = policy_profile(_report(), "bench", _rekeys(), BusyCore(1.5, "hwmon"))
    file.write_text(json.dumps(document), encoding="utf-8")
    profile = load_profile(file)
    # Every measured cipher has one, also in suites whose rekey was not measured.
    aes, ascon = (
        profile.costs[f"cs-mlkem768-{cipher}-mldsa65"] for cipher in ("aesgcm", "ascon128a")
    )
    assert aes.rekey_j == pytest.approx(1.5 * (0.002 + 0.016))
    # 320 datagrams a second each way, of at most 256 bytes, sealed and opened.
    assert aes.cipher_w == pytest.approx(1.5 * 320 * 2 * 200e-9)
    assert ascon.cipher_w == pytest.approx(1.5 * 320 * 2 * 1000e-9)
    assert profile.costs["cs-mlkem768-chacha20poly1305-mldsa65"].cipher_w is None
    assert profile.power_error_w == pytest.approx(1.5 * 320 * 2 * 10e-9)
    assert "A busy core takes 1.5 W more than an idle one (hwmon)." in profile.source
    assert "320 datagrams/s each way of 100 bytes" in profile.source


def test_a_profile_tells_which_suites_have_no_rekey() -> None:
    rekeys = _rekeys()
    rekeys["suites"][0]["rekeys"] = 0
    source = policy_profile(_report(), "bench", rekeys)["source"]
    assert "No rekey measured to: cs-hqc192-ascon128a-mldsa65." in source


def test_a_new_session_is_no_measurement_of_a_rekey() -> None:
    rekeys = _rekeys()
    rekeys["suites"][0] |= {"new_sessions": 1, "bytes": 56, "longest_gap_ms": 4000.0}
    document = policy_profile(_report(), "bench", rekeys)
    assert list(document["suites"]) == ["cs-mlkem512-aesgcm-falcon512"]
    assert document["interruption_ms"] == 25.0
    assert "No rekey measured to: cs-hqc192-ascon128a-mldsa65." in document["source"]


def test_rekeys_that_all_failed_give_no_profile() -> None:
    rekeys = _rekeys()
    for record in rekeys["suites"]:
        record["rekeys"] = 0
    with pytest.raises(RunFault, match="none that was done"):
        policy_profile(_report(), "bench", rekeys)


def test_a_profile_tells_what_was_cut() -> None:
    report = _report()
    report["kems"][0]["operations"][0]["cut"] = True
    source = policy_profile(report, "bench", _rekeys())["source"]
    assert f"Fewer samples of: {KEMS[0]} keygen (9)." in source


@pytest.mark.parametrize("lacking", ["algorithm", "samples"])
def test_no_profile_is_made_if_an_algorithm_was_not_measured(lacking: str) -> None:
    report = _report()
    if lacking == "algorithm":
        report["signatures"].pop()
    else:
        report["signatures"][-1]["operations"][1]["samples"] = 0
    with pytest.raises(RunFault, match=f"{SIGNATURES[-1]} has no sign time"):
        policy_profile(report, "bench", _rekeys())


def test_the_table_has_a_line_for_each_operation_and_algorithm_that_is_not_there() -> None:
    report = _report()
    report["kems"][0] |= {"operations": [], "available": False, "reason": "not in this liboqs"}
    report["aeads"][0]["operations"][1]["cut"] = True
    text = lines(report)
    assert len(text) == 1 + 3 * (len(KEMS) - 1 + len(SIGNATURES)) + 8 + 2
    assert text[1].split()[1:5] == ["keygen", "9", "1", "ms"]
    (cut,) = (line for line in text if line.endswith("cut"))
    assert cut.split()[:6] == ["AESGCM", "seal", "256", "B", "9", "200"]
    assert f"  {KEMS[0].upper()}: not in this liboqs" in text


def test_a_program_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r"no such thing\."):
        run_speed(_program(tmp_path, None, 2), show=False)


def test_wrong_results_of_a_primitive_are_a_fault(tmp_path: Path) -> None:
    report = {**_report(), "operations_failed": 3}
    report["kems"][0]["operations"][2]["failed"] = 3
    with pytest.raises(RunFault, match=f"3 wrong results: {KEMS[0]} decapsulate"):
        run_speed(_program(tmp_path, report, 1), show=False)


def test_the_real_program_measures_what_it_is_asked_for() -> None:
    report = run_speed(tool_program("pqc_speed"), 5, 0, ["mlkem512", "mldsa44", "aesgcm"], False)
    assert [kem["algorithm"] for kem in report["kems"]] == ["mlkem512"]
    assert report["operation_kinds"] == 3 + 3 + 8
    assert report["samples"] == 5 * report["operation_kinds"]
    assert report["operations_run"] >= report["operations_timed"] > 0
