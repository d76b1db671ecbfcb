# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""When the commands take the graph for known, under a virtual clock."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from ros2cli import graph


@dataclass
class SlowGraph:
    """A graph in which a node appears at each of the times, and is named at the second ones."""

    appears: list[float]
    named: list[float] = field(default_factory=list)
    now: float = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def _present(self) -> int:
        return sum(self.now >= time for time in self.appears)

    def get_node_names_and_namespaces(self) -> list[tuple[str, str]]:
        times = self.named or self.appears
        return [(f"node{i}", "/") for i, time in enumerate(times) if self.now >= time]

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return [("/rosout", [])] if self._present() else []

    def get_service_names_and_types(self) -> list[tuple[str, list[str]]]:
        return []

    def get_publishers_info_by_topic(self, topic: str, no_mangle: bool = False) -> list[object]:
        names = [name for name, _ in self.get_node_names_and_namespaces()]
        unknown = ["_NODE_NAME_UNKNOWN_"] * (self._present() - len(names))
        return [SimpleNamespace(node_name=name) for name in names + unknown]


@pytest.fixture
def discovered(monkeypatch):
    """Discovers a graph of some participants; returns the nodes then known, and when."""

    def run(slow: SlowGraph, participants: int) -> tuple[int, float]:
        monkeypatch.setattr(graph, "time", slow)
        monkeypatch.setattr(graph, "_LONGEST_DISCOVERY_S", 10.0)
        monkeypatch.setattr(graph, "_participants_here", lambda: participants)
        monkeypatch.setattr(graph.rclpy, "ok", lambda: True)
        graph.discover(slow, 0.5)
        return len(slow.get_node_names_and_namespaces()), slow.now

    return run


def test_a_node_that_is_discovered_late_is_waited_for(discovered):
    assert discovered(SlowGraph([0.0, 0.1, 3.0]), participants=3)[0] == 3


def test_a_node_whose_name_comes_late_is_waited_for(discovered):
    assert discovered(SlowGraph([0.0, 0.1], named=[0.0, 2.0]), participants=2)[0] == 2


def test_a_known_graph_costs_no_more_time_than_asked_for(discovered):
    assert discovered(SlowGraph([0.0, 0.1]), participants=2)[1] < 0.6


def test_a_participant_that_never_tells_of_itself_is_not_waited_for_without_end(discovered):
    assert discovered(SlowGraph([0.0]), participants=2)[1] < 10.1


def test_participants_of_this_host_are_counted_by_their_sockets_in_the_domain(monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "231")  # above all that the tests take
    assert graph._participants_here() == 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as discovery:
        discovery.bind(("127.0.0.1", 7410 + 231 * 250 + 2 * 3))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.bind(("127.0.0.1", 7410 + 231 * 250 + 2 * 3 + 1))
            assert graph._participants_here() == 1
