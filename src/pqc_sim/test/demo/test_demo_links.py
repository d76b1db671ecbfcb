# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration over emulated links."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo_runs import assert_all_went_through, demo, summary_of
from pqc_sim.pair.link_emulator import link_profile, udp_link_profile
from pqc_sim.pair.programs import link_profiles
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.vehicle.parameter_table import TABLE


def test_a_link_is_named_by_a_profile_or_by_a_file_and_none_is_no_emulator(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("description: Mine.\n", encoding="utf-8")
    clean = link_profile("clean")
    assert clean is not None
    assert clean.name == "clean.yaml"
    assert link_profile(str(file)) == file
    assert link_profile("none") is None


def test_a_radio_with_short_packets_is_no_udp_link() -> None:
    assert udp_link_profile("none") is None
    assert udp_link_profile("lte") == link_profile("lte")
    for radio in ("sik-57600", "sik-250000"):
        with pytest.raises(RunFault, match=f"'{radio}' carries .* most 252 bytes, .*1280"):
            udp_link_profile(radio)


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ("both: {mtu_bytes: 1280}", True),
        ("both: {mtu_bytes: 1279}", False),
        ("gcs_to_drone: {mtu_bytes: 252}", False),
        ("{both: {mtu_bytes: 252}, drone_to_gcs: {mtu_bytes: 1400}}", False),
        (
            "{both: {mtu_bytes: 252}, drone_to_gcs: {mtu_bytes: 1400}, "
            "gcs_to_drone: {mtu_bytes: 1400}}",
            True,
        ),
    ],
)
def test_each_direction_of_a_udp_link_carries_the_packets(
    tmp_path: Path, fields: str, fits: bool
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{fields}\n", encoding="utf-8")
    if fits:
        assert udp_link_profile(str(file)) == file
    else:
        with pytest.raises(RunFault, match="carries packets of at most"):
            udp_link_profile(str(file))


@pytest.mark.parametrize(
    "text",
    [
        "- a list\n",
        "both: 3\n",
        "both: {mtu_bytes: many}\n",
        "both: {mtu_bytes: [1]}\n",
        "both: [\n",
        "\xff",
    ],
)
def test_a_malformed_profile_is_left_to_the_emulator_which_names_the_line(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="latin-1")
    assert udp_link_profile(str(file)) == file


def test_the_manual_describes_every_link() -> None:
    top = Path(__file__).parents[4]
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
