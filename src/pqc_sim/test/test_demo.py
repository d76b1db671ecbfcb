# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration as users start it, with the real tunnel."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from pqc_sim.pair.link_emulator import link_profile
from pqc_sim.pair.programs import link_profiles
from pqc_sim.processes.child import descendants
from pqc_sim.vehicle.parameter_table import TABLE
from test_process_group import ended, wait_until

SOURCES = Path(__file__).parents[1]


def command(*arguments: str) -> list[str]:
    try:
        program = Path(get_package_prefix("pqc_sim")) / "lib" / "pqc_sim" / "demo"
        get_package_prefix("pqc_tunnel")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")
    return [str(program), *arguments]


def demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end, away from any terminal."""
    return subprocess.run(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )


def summary_of(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the results that --json prints."""
    summary: dict[str, Any] = json.loads(run.stdout)
    return summary


@contextmanager
def started(folder: Path, *arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start the demo in a ROS graph of its own, with its temporary files in a folder."""
    environment = {**os.environ, "TMPDIR": str(folder)}
    del environment["ROS_DOMAIN_ID"]
    options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL} | options
    with subprocess.Popen(
        command(*arguments), stderr=subprocess.PIPE, text=True, env=environment, **options
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_line(process: subprocess.Popen[str], part: str) -> None:
    assert process.stdout is not None
    assert any(part in line for line in process.stdout), process.communicate()


def test_it_shows_real_mavlink_through_the_tunnel_and_a_rekey(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    run = demo("--seconds", "20", "--summary", str(file))
    assert run.returncode == 0, run.stdout + run.stderr
    summary = json.loads(file.read_text(encoding="utf-8"))
    assert summary["rekeys"] >= 1
    assert summary["epoch"] >= 1
    assert summary["handshake_ms"] > 0
    assert summary["vehicle"]["took_off"]
    assert summary["ground_program"] == {
        "parameters": len(TABLE),
        "mission_items": 8,
        "links_lost": 0,
        "fault": None,
    }
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0
        assert (flow["lost"], flow["corrupted"]) == (0, 0)
    assert "MAVLink went both ways" in run.stdout.splitlines()[-1]
    assert "{" not in run.stdout
    assert "\x1b" not in run.stdout + run.stderr


def test_two_demos_at_once_do_not_meet(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "twö and a space"]
    for folder in folders:
        folder.mkdir()
    options = ("--seconds", "8", "--rate", "50", "--json")
    with started(folders[0], *options) as first, started(folders[1], *options) as second:
        runs = [process.communicate(timeout=300) for process in (first, second)]
        codes = [first.returncode, second.returncode]
    assert codes == [0, 0], runs
    for output, _ in runs:
        summary = json.loads(output)
        assert (summary["rekeys"], summary["epoch"]) == (1, 1)
    assert not any(any(folder.iterdir()) for folder in folders)


def test_a_graph_with_a_tunnel_in_it_is_refused(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        assert process.stdout is not None
        domain = process.stdout.readline().rpartition(" ROS domain ")[2].strip()
        wait_for_line(process, "drone: handshake completed")
        run = demo("--seconds", "5", ROS_DOMAIN_ID=domain)
        process.send_signal(signal.SIGTERM)
    assert run.returncode == 1
    assert run.stderr.startswith("demo: a tunnel publishes /")
    assert f"/status in ROS domain {domain} already: end it, choose another" in run.stderr


@pytest.mark.parametrize("line", ["", "handshake started", " flying "])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_soon_with_one_sentence_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals, line: str
) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        # Without a line: while it makes keys and starts.
        wait_until(lambda: any(tmp_path.iterdir()))
        if line:
            wait_for_line(process, line)
        children = descendants(process.pid)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number, errors
    assert errors == f"demo: interrupted by {number.name}; all programs have ended\n"
    wait_until(lambda: all(ended(pid) for pid in children))
    assert not any(tmp_path.iterdir())


def test_a_killed_demo_leaves_no_process_and_no_keys(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        wait_for_line(process, " flying ")
        assert list(tmp_path.glob("*/keys/gcs/*"))
        children = descendants(process.pid)
        process.kill()
        process.communicate()
    wait_until(lambda: all(ended(pid) for pid in children))
    wait_until(lambda: not any(tmp_path.iterdir()))


def test_a_reader_that_goes_away_ends_it_without_a_word(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(60) == 128 + signal.SIGPIPE
    assert not any(tmp_path.iterdir())


def test_on_a_terminal_keys_rekey_and_land(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    shown = b""
    # Keys are read from the controlling terminal only.
    own_terminal = {
        "stdin": slave,
        "stdout": slave,
        "start_new_session": True,
        "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    }
    with started(tmp_path, "--seconds", "60", **own_terminal) as process:
        os.close(slave)
        keys = iter(((b"flying", b"r"), (b" took ", b"q")))
        awaited, key = next(keys)
        while True:
            try:
                shown += os.read(master, 4096)
            except OSError:
                break
            if awaited and awaited in shown:
                os.write(master, key)
                awaited, key = next(keys, (b"", b""))
        process.wait(60)
    os.close(master)
    assert b"\x1b[?1049h" in shown and b"\x1b[?1049l" in shown
    assert re.search(rb"rekey to cs-\S+ took ", shown)
    assert awaited == b""
    assert process.returncode == 0


def test_a_link_is_named_by_a_profile_or_by_a_file_and_none_is_no_emulator(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("description: Mine.\n", encoding="utf-8")
    clean = link_profile("clean")
    assert clean is not None
    assert clean.name == "clean.yaml"
    assert link_profile(str(file)) == file
    assert link_profile("none") is None


def test_the_manual_describes_every_link() -> None:
    top = Path(__file__).parents[3]
    manual = (top / "docs" / "link-emulator.md").read_text(encoding="utf-8")
    links = link_profiles()
    assert len(links) >= 10
    for link in links:
        assert f"`{link}`" in manual


def test_over_a_mobile_network_only_the_datagrams_that_the_link_took_are_missing() -> None:
    run = demo("--seconds", "6", "--link", "lte", "--rate", "100", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    assert summary["link"]["profile"] == "lte"
    assert summary["rekeys"] >= 1
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["received"] > 0
        assert flow["corrupted"] == 0
        assert flow["lost"] <= sum(summary["link"]["taken"][direction].values())


def assert_all_went_through(summary: dict[str, Any]) -> None:
    """Check that parameters, mission and commands went through, and MAVProxy saw no gap."""
    mission = (SOURCES / "missions" / "box.waypoints").read_text(encoding="utf-8")
    ground = summary["ground_program"]
    assert ground["parameters"] == len(TABLE)
    assert ground["mission_items"] == len(mission.splitlines()) - 1
    assert ground["links_lost"] == 0
    assert ground["fault"] is None
    assert summary["vehicle"]["armed"] and summary["vehicle"]["took_off"]


def test_of_two_links_one_fails_in_flight_and_comes_back() -> None:
    run = demo("--links", "lte+radio", "--seconds", "36", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    assert [(link["name"], link["type"]) for link in summary["links"]] == [
        ("lte", "udp"),
        ("radio", "serial"),
    ]
    for link in summary["links"]:
        assert link["state"] == "up"
        assert 0 < link["received"] < link["sent"]
        assert link["lost"] > 0
    assert summary["rekeys"] >= 1
    assert_all_went_through(summary)
    # Over the radio alone, while the first link was cut.
    assert summary["cut"]["link"] == "lte"
    assert summary["cut"]["parameters"] == len(TABLE)
    assert summary["cut"]["carried"] > 0
    for text in ("the link lte is cut", "drone: link lte is down", "drone: link lte is up"):
        assert text in run.stderr


def test_a_radio_alone_carries_a_flight() -> None:
    run = demo("--links", "radio", "--seconds", "25", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    assert_all_went_through(summary)
    assert summary["cut"] is None
    assert summary["links"][0]["type"] == "serial"
    assert summary["mavlink"]["drone_to_gcs"]["corrupted"] == 0


def test_a_link_that_takes_too_much_for_a_flight_is_a_fault() -> None:
    run = demo("--link", "telemetry-radio", "--rate", "2000")
    assert run.returncode == 1
    failures = [line for line in run.stdout.splitlines() if line.startswith("  failed: ")]
    assert any("the link took" in line or "the rekey failed" in line for line in failures)


def test_a_drone_that_warms_up_goes_to_a_lighter_suite_by_itself() -> None:
    run = demo("--flight", "hot", "--seconds", "40", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    down = next((line for line in summary["decisions"] if line["action"] == "DOWN"), None)
    assert down is not None, summary["decisions"]
    assert down["rule"] == "stress"
    assert down["from"] == "cs-classicmceliece460896-aesgcm-mldsa65"
    assert down["to"] == "cs-frodokem976aes-aesgcm-mldsa65"
    assert summary["rekeys"] >= 1
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0
    # The lines of progress show what the flight is about.
    assert re.search(r"heat [\d.]+ °C   \+[\d.]+ °C/min  telemetry_aware", run.stderr)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "-1"], "argument --seconds: '-1' isn't a number of seconds above 0"),
        (["--seconds", "0"], "argument --seconds: '0' isn't a number of seconds above 0"),
        (["--flight", "hto"], "argument --flight: invalid choice: 'hto' (choose from "),
        (["--strategy", "expert"], "--strategy needs --flight"),
        (["--link-seed", "3"], "--link-seed needs --link"),
        (
            ["--suite", "cs-mlkem769-aesgcm-mldsa65"],
            "there is no suite 'cs-mlkem769-aesgcm-mldsa65'; "
            "did you mean cs-mlkem768-aesgcm-mldsa65?",
        ),
        (
            ["--suite", "cs-hqc192-aesgcm-mldsa65"],
            "cs-hqc192-aesgcm-mldsa65 is experimental; did you mean cs-",
        ),
        (["--links", "lte+fax"], "'fax' is no file, and none of the links none, "),
        (["--links", "lte+"], "'' is no link; examples are lte, satellite and radio\n"),
        (["--links", "lte+lte"], "the link lte is named twice\n"),
        (["--links", "lte", "--flight", "hot"], "--links can't be used with --link or --flight, "),
        (["--schedule", "redundant"], "--schedule needs --links: "),
        (["--link", "radio"], "'radio' is no file, and none of the links none, "),
        (["--summary", "/no/such/x"], "there is no folder '/no/such' to write to\n"),
        (["--summary", "/tmp"], "'/tmp' is a folder; name a file in it\n"),
        (["--keep-log", "/proc/x"], "'/proc/x' can't be written: "),
        (["--frobnicate"], "unrecognized arguments: --frobnicate\n"),
    ],
)
def test_a_bad_argument_is_one_sentence_before_anything_starts(
    arguments: list[str], sentence: str
) -> None:
    run = demo(*arguments)
    assert run.returncode == 2
    assert run.stderr.startswith(f"demo: {sentence}")
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"TMPDIR": "/nowhere"}, "no temporary file can be written in '/nowhere', which TMPDIR"),
        ({"ROS_DOMAIN_ID": "nine"}, "ROS_DOMAIN_ID is 'nine', which is no number from 0 to 232"),
    ],
)
def test_a_bad_environment_is_one_sentence(environment: dict[str, str], sentence: str) -> None:
    run = demo("--seconds", "5", **environment)
    assert run.returncode in (1, 2)
    assert run.stderr.startswith(f"demo: {sentence}")
    assert run.stderr.count("\n") == 1


def test_help_needs_neither_ros_nor_packages() -> None:
    run = subprocess.run(
        ["/usr/bin/python3", "-S", "-E", "-c", HELP, str(SOURCES)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--flight NAME" in run.stdout


HELP = """
import sys
sys.path.insert(0, sys.argv.pop())
sys.argv.append("--help")
from pqc_sim.demo.demo_command import main
main()
"""
