# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""When the first of several links is cut, and when it is restored."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from pqc_sim.demo.link_cut import LinkCut
from pqc_sim.pair.links import EmulatedLink

LINKS = (EmulatedLink("lte", "udp", Path("lte")), EmulatedLink("radio", "serial", Path("radio")))


@pytest.fixture
def sent() -> list[tuple[str, signal.Signals]]:
    return []


@pytest.fixture
def cut(sent: list[tuple[str, signal.Signals]]) -> LinkCut:
    def send(name: str, number: signal.Signals) -> bool:
        sent.append((name, number))
        return True

    return LinkCut(LINKS, 100.0, send)


def test_the_link_is_cut_once_the_vehicle_is_in_the_air(
    cut: LinkCut, sent: list[tuple[str, signal.Signals]]
) -> None:
    assert cut.update(39.0, airborne=True, busy=True) == ""
    assert cut.update(50.0, airborne=False, busy=True) == ""
    assert cut.update(51.0, airborne=True, busy=True) == "the link lte is cut"
    assert cut.is_cut
    assert sent == [("link-lte", signal.SIGUSR1)]


def test_it_is_restored_when_what_goes_on_meanwhile_has_ended(
    cut: LinkCut, sent: list[tuple[str, signal.Signals]]
) -> None:
    cut.update(40.0, airborne=True, busy=True)
    assert cut.update(59.0, airborne=True, busy=False) == ""
    assert cut.update(75.0, airborne=True, busy=True) == ""
    assert cut.update(75.0, airborne=True, busy=False) == "the link lte is restored"
    assert not cut.is_cut
    assert sent[1:] == [("link-lte", signal.SIGUSR2)]


def test_it_is_restored_in_any_case(cut: LinkCut) -> None:
    cut.update(40.0, airborne=True, busy=True)
    assert cut.update(90.0, airborne=True, busy=True) == "the link lte is restored"


def test_it_is_cut_only_once(cut: LinkCut, sent: list[tuple[str, signal.Signals]]) -> None:
    cut.update(40.0, airborne=True, busy=True)
    cut.update(90.0, airborne=True, busy=True)
    assert cut.update(91.0, airborne=True, busy=True) == ""
    assert len(sent) == 2


def test_a_link_that_does_not_come_back_is_a_fault(cut: LinkCut) -> None:
    cut.update(40.0, airborne=True, busy=True)
    cut.update(90.0, airborne=True, busy=True)
    states = {"lte": "down", "radio": "up"}
    assert cut.fault(91.0, states) == ""
    assert cut.fault(101.0, states) == "the link lte did not come back"
    assert cut.fault(101.0, {"lte": "up", "radio": "up"}) == ""


@pytest.mark.parametrize("count", [0, 1])
def test_a_single_link_is_not_cut(count: int) -> None:
    cut = LinkCut(LINKS[:count], 50.0, lambda *_: pytest.fail("nothing to cut"))
    assert cut.update(30.0, airborne=True, busy=False) == ""
