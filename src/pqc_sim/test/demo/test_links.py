# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The links of the demonstration: their parameters at both ends, and what they carried."""

from __future__ import annotations

from pathlib import Path

from pqc_sim.demo.verdict import LinkOutcome
from pqc_sim.pair.links import EmulatedLink, end_parameters, lay_links

LINKS = (
    EmulatedLink("lte", "udp", Path("links/lte.yaml")),
    EmulatedLink("radio", "serial", Path("links/sik-57600.yaml")),
    EmulatedLink("satellite", "udp", Path("links/satellite.yaml")),
)


def test_both_ends_have_the_same_links_in_the_same_order_and_meet_at_the_emulators() -> None:
    ends = lay_links(LINKS, Path("/run/x"), first_udp=(1, 2, 3))
    drone = end_parameters(ends, "drone", "failover")
    ground = end_parameters(ends, "gcs", "failover")
    assert drone["links"] == ground["links"] == ["lte", "radio", "satellite"]
    assert (drone["link.lte.datagram_port"], ground["link.lte.datagram_port"]) == (1, 2)
    assert drone["link.lte.gcs_datagram_port"] == 3
    assert ends[0].emulator_arguments()[1:] == ["127.0.0.1:3", "--udp-forward", "127.0.0.1:2"]
    assert drone["link.radio.device"] == "/run/x/radio-drone"
    assert ground["link.radio.device"] == "/run/x/radio-ground"
    assert drone["link.radio.baud"] == 57_600
    assert ends[1].emulator_arguments()[0] == "--serial-drone"
    ports = {ends[2].drone, ends[2].ground, ends[2].emulator}
    assert len(ports - {"1", "2", "3"}) == 3
    assert end_parameters((), "drone", "failover") == {}


def test_a_link_sums_both_directions() -> None:
    way = {"in": 10, "out": 8, "corrupted": 1, "lost": 2}
    link = LinkOutcome("lte", "udp", "up", {"drone_to_gcs": way, "gcs_to_drone": way})
    assert link.as_dict() == {
        "name": "lte",
        "type": "udp",
        "state": "up",
        "sent": 20,
        "received": 14,
        "lost": 6,
    }
