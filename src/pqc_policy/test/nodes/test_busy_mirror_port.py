# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A mirror port that another program has ends the sensing node with one sentence."""

from __future__ import annotations

import socket
from pathlib import Path

from pqc_testing.ports import LOOPBACK
from ros_graph import NodeProcess, own_graph


def test_a_busy_mirror_port_ends_the_sensing_node_with_one_sentence(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other, own_graph(tmp_path):
        other.bind((LOOPBACK, 0))
        port = other.getsockname()[1]
        process = NodeProcess(
            "sensing_node",
            tmp_path / "log.txt",
            *("-p", f"mirror_address:={LOOPBACK}", "-p", f"mirror_port:={port}"),
        )
        try:
            assert process.wait() == 1  # another start may find it free
        finally:
            process.close()
    assert process.output.splitlines() == [
        f"UDP port {port} of {LOOPBACK} can't be used: Address already in use."
    ]
