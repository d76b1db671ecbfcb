# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that run side by side get different ports and graphs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from pqc_testing.ports import LOOPBACK, free_ports
from pqc_testing.ros_graph import isolate_graph, reserve_domain


def test_ports_in_use_are_left_out() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as taken:
            taken.bind((LOOPBACK, ports[0]))
            others = free_ports(200)
            assert len(set(others)) == 200
            assert ports[0] not in others


def test_two_processes_get_different_ports_and_one_process_others_each_time() -> None:
    script = "from pqc_testing.ports import free_ports; print(*free_ports(150))"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
    first, second = free_ports(40), free_ports(40)
    assert not {*first} & {*second}
    assert len(output.split()) == 150
    assert not {*map(int, output.split())} & {*first, *second}


def test_a_reserved_domain_is_given_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "0")
    isolate_graph()
    reserved = [reserve_domain() for _ in range(10)]
    domains = [int(os.environ["ROS_DOMAIN_ID"]), *(domain for domain, _ in reserved)]
    assert len(set(domains)) == len(domains)
    assert all(0 < domain < 100 for domain in domains)
    for _, holder in reserved:
        holder.close()
