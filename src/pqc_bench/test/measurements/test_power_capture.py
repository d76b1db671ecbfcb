# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""pqc_power_capture with an emulated INA219 that is fed at full rate, and with files like sysfs."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from exit_code import exit_code
from pqc_bench.bench_command import main
from pqc_bench.power.capture import PowerCapture
from pqc_bench.power.emulated import SCAN, EmulatedSensor, Fed, joules
from pqc_bench.power.energy import EnergyOfTrace, Span
from pqc_bench.power.options import PowerOptions
from pqc_bench.power.run import judge
from pqc_bench.power.trace import read_trace
from pqc_sim.pair.programs import tool_program


def program(*options: object) -> list[str]:
    return [str(tool_program("pqc_power_capture")), *map(str, options)]


def run(file: Path, options: Sequence[object]) -> subprocess.CompletedProcess[str]:
    command = program("--out", file, *options)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_two_minutes_have_the_gaps_that_were_made_and_the_energy_that_was_fed(
    tmp_path: Path,
) -> None:
    sensor = EmulatedSensor(tmp_path, rate_hz=1100.0)
    fed = Fed()

    def feed() -> None:
        nonlocal fed
        fed = sensor.feed(120.0, seed=5, paced=False)

    feeder = threading.Thread(target=feed)
    feeder.start()
    file = tmp_path / "power.csv.gz"
    done = run(file, ["--sys-root", sensor.sys, "--dev-root", sensor.dev])
    feeder.join()
    assert done.returncode == 0, done.stderr
    trace = read_trace(file)
    assert trace.facts["ended"] == "sensor gone"
    assert (len(trace.seconds), int(trace.missed.sum())) == (fed.samples, fed.missed)
    assert int(np.count_nonzero(trace.missed)) == fed.gaps > 10
    assert fed.samples + fed.missed == 132_000
    span = Span(trace.seconds[0], trace.seconds[-1])
    assert EnergyOfTrace(trace).energy(span).joules == pytest.approx(fed.joules, rel=0.002)
    begin = trace.seconds[0]
    part = EnergyOfTrace(trace).energy(Span(begin + 20.0, begin + 80.0))
    assert part.joules == pytest.approx(joules(20.0, 80.0), rel=0.005)
    assert sensor.value("current_timestamp_clock") == "monotonic"
    assert sensor.value("in_voltage1_integration_time") == "0.000276"
    enabled = [sensor.value(f"scan_elements/{name}_en") for name in ("in_current3", "in_voltage0")]
    assert enabled == ["0", "1"]
    assert sensor.value("buffer/enable") == "0", "it leaves the sensor as it was"


@pytest.mark.parametrize(
    ("ohm", "options", "watts"),
    [("0.1", [], -2.0), ("100000", [], -2.0), ("0.1", ["--shunt-ohm", 0.05], -4.0)],
)
def test_the_shunt_is_signed_and_its_end_is_no_power(
    tmp_path: Path, ohm: str, options: list[object], watts: float
) -> None:
    sensor = EmulatedSensor(tmp_path, rate_hz=1000.0)
    sensor.set("in_shunt_resistor", ohm)
    # 5 V, -40 mV across the shunt; then the end of its range.
    shunts = [-4000, 32000, -4000]
    scans = [SCAN.pack(shunt, 1250 << 3, 1_000_000 * ms) for ms, shunt in enumerate(shunts)]
    feeder = threading.Thread(target=sensor.device.write_bytes, args=(b"".join(scans),))
    feeder.start()
    file = tmp_path / "power.csv.gz"
    done = run(file, ["--sys-root", sensor.sys, "--dev-root", sensor.dev, *options])
    feeder.join()
    assert done.returncode == 0, done.stderr
    trace = read_trace(file)
    assert trace.power_w == pytest.approx([watts, watts])
    assert (trace.missed.tolist(), trace.facts["overflows"]) == ([0.0, 1.0], "1")


@pytest.fixture
def hwmon(tmp_path: Path) -> Path:
    sensor = tmp_path / "class" / "hwmon" / "hwmon1"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text("ina219\n")
    (sensor / "power1_input").write_text("3990000\n")
    return tmp_path


def test_a_capture_ends_with_the_program_that_started_it(hwmon: Path) -> None:
    capture = PowerCapture(program("--sys-root", hwmon), hwmon / "power.csv.gz")
    assert capture.start()
    assert capture.sensor == "ina219 as hwmon1"
    assert capture.stop()
    trace = read_trace(hwmon / "power.csv.gz")
    assert trace.facts["ended"] == "input ended"
    assert trace.facts["source"] == "hwmon"
    assert set(trace.power_w) <= {3.99}


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_finishes_the_file(hwmon: Path, by: signal.Signals) -> None:
    file = hwmon / "power.csv.gz"
    with subprocess.Popen(
        program("--sys-root", hwmon, "--out", file), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "hwmon" in process.stderr.readline()
        process.send_signal(by)
        assert process.wait() == 0
    assert read_trace(file).facts["ended"] == "stopped"


def test_a_killed_capture_leaves_what_it_has_written(hwmon: Path) -> None:
    file = hwmon / "power.csv.gz"
    with subprocess.Popen(
        program("--sys-root", hwmon, "--out", file), stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        # The facts are flushed before the first sample.
        while not file.stat().st_size:
            pass
        process.kill()
    trace = read_trace(file)
    assert trace.facts["sensor"] == "ina219 as hwmon1"
    assert not trace.finished


def test_rapl_is_read_where_it_is_the_only_sensor(tmp_path: Path) -> None:
    package = tmp_path / "class" / "powercap" / "intel-rapl:0"
    part = tmp_path / "class" / "powercap" / "intel-rapl:0:0"
    for folder in (package, part):
        folder.mkdir(parents=True)
        (folder / "max_energy_range_uj").write_text("262143328850\n")
        (folder / "energy_uj").write_text("1000\n")
    file = tmp_path / "power.csv.gz"
    assert run(file, ["--sys-root", tmp_path, "--seconds", 1, "--rate", 1000]).returncode == 0
    trace = read_trace(file)
    assert (trace.facts["sensor"], trace.averages) == ("intel-rapl:0", True)
    assert len(trace.seconds) + trace.missed.sum() == pytest.approx(1000, abs=5)


def test_without_a_sensor_it_says_so(tmp_path: Path) -> None:
    capture = PowerCapture(program("--sys-root", tmp_path), tmp_path / "power.csv.gz")
    assert not capture.start()
    assert not capture.stop()
    done = run(tmp_path / "power.csv.gz", ["--sys-root", tmp_path])
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_a_full_disk_ends_it_with_a_sentence(hwmon: Path) -> None:
    done = run(Path("/dev/full"), ["--sys-root", hwmon, "--seconds", 60])
    assert done.returncode == 1
    assert "could not be written" in done.stderr


def test_one_command_tries_it_in_real_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trial.json"
    assert main(["power", "--seconds", "1", "--out", str(file)]) == 0
    result = json.loads(file.read_text())
    assert result["rate_hz"] == pytest.approx(1100.0, rel=0.01)
    assert result["recorded"]["joules"] == pytest.approx(result["fed"]["joules"], rel=0.01)
    result["recorded"] |= {"missed": result["fed"]["missed"] + 1, "joules": 1.0}
    assert len(judge(result)) == 2


def test_a_sensor_is_named_in_words_that_the_command_knows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in ("sometimes", "--source 'i2c"):
        assert exit_code(["matrix", f"--power={words}"]) == 2
    told = capsys.readouterr().err
    assert "'sometimes' is none of auto, none, meter" in told
    assert "has an open quotation mark" in told
    own = PowerOptions("--source i2c --bus 3").command(Path("/sys"))
    assert own[1:] == ["--sys-root", "/sys", "--source", "i2c", "--bus", "3"]
    assert [PowerOptions(word).command(Path("/sys")) for word in ("none", "meter")] == [[], []]
