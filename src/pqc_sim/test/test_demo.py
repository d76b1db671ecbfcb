# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration as users start it, with the real tunnel."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from pqc_sim.pair.link_emulator import link_profile
from pqc_sim.pair.programs import link_profiles
from pqc_sim.vehicle.parameter_table import TABLE


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end, away from any terminal."""
    try:
        program = Path(get_package_prefix("pqc_sim")) / "lib" / "pqc_sim" / "demo"
        get_package_prefix("pqc_tunnel")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")
    return subprocess.run(
        [str(program), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_it_shows_real_mavlink_through_the_tunnel_and_a_rekey(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    run = demo("--seconds", "10", "--summary", str(file))
    assert run.returncode == 0, run.stdout + run.stderr
    summary = json.loads(file.read_text(encoding="utf-8"))
    assert summary["rekeys"] >= 1
    assert summary["epoch"] >= 1
    assert summary["handshake_ms"] > 0
    assert summary["ground_program"] == {
        "parameters": len(TABLE),
        "mission_items": 8,
        "fault": None,
    }
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0
        assert (flow["lost"], flow["corrupted"]) == (0, 0)
    assert json.loads(run.stdout.splitlines()[-1]) == summary


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
    run = demo("--seconds", "6", "--link", "lte", "--rate", "100")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = json.loads(run.stdout.splitlines()[-1])
    assert summary["link"]["profile"] == "lte"
    assert summary["rekeys"] >= 1
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["received"] > 0
        assert flow["corrupted"] == 0
        assert flow["lost"] <= sum(summary["link"]["taken"][direction].values())


def test_a_drone_that_warms_up_goes_to_a_lighter_suite_by_itself() -> None:
    run = demo("--flight", "hot", "--seconds", "40")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = json.loads(run.stdout.splitlines()[-1])
    down = next((line for line in summary["decisions"] if line["action"] == "DOWN"), None)
    assert down is not None, summary["decisions"]
    assert down["rule"] == "stress"
    assert down["from"] == "cs-classicmceliece460896-aesgcm-mldsa65"
    assert down["to"] == "cs-frodokem976aes-aesgcm-mldsa65"
    assert summary["rekeys"] >= 1
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0


def test_an_unknown_suite_is_one_clear_sentence() -> None:
    run = demo("--suite", "cs-nothing", "--seconds", "5")
    assert run.returncode == 1
    (failure,) = (line for line in run.stdout.splitlines() if line.startswith("  failed:"))
    assert "cs-nothing" in failure


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds", "-1"], "demo: argument --seconds: '-1' isn't a number of seconds\n"),
        (["--link", "radio"], "demo: 'radio' is no file, and none of the links none, clean, "),
        (["--summary", "/no/such/x"], "demo: there is no folder '/no/such' to write to\n"),
    ],
)
def test_a_bad_argument_is_one_clear_sentence(arguments: list[str], sentence: str) -> None:
    run = demo(*arguments)
    assert run.returncode != 0
    assert run.stderr.startswith(sentence)
    assert run.stderr.count("\n") == 1
