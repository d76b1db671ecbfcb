# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One launch of session.launch.py as a child, and the nodes in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import yaml
from pqc_sim.pair.ports import Ports
from pqc_sim.pair.tunnel_launch import (
    NAMESPACES,
    NODE,
    explain,
    failure_in,
    launch_command,
    tunnel_nodes,
)
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import name_of

from pqc_bench.cell.cell import Cell

_END_S = 40.0
_LOGS = "logs"


class SessionProcess:
    """Starts the launch at once; a context manager that ends all of its processes."""

    def __init__(
        self, cell: Cell, folder: Path, keys: Path, control: Path, scenario_command: str
    ) -> None:
        self.ports = Ports.pick()
        self._pids: dict[str, int] = {}
        (folder / _LOGS).mkdir(parents=True, exist_ok=True)
        arguments: dict[str, Any] = {
            "keys": keys,
            "out": folder,
            "suite": cell.suite,
            "scenario": cell.scenario,
            "load": cell.load,
            "link": cell.link,
            "link_seed": cell.link_seed,
            "policy": cell.policy,
            "control": control,
            **{f"{name}_port": port for name, port in asdict(self.ports).items()},
        }
        optional = {"scenario_command": scenario_command, "vehicle": cell.vehicle}
        arguments |= {name: value for name, value in optional.items() if value}
        self._processes = ProcessGroup(
            launch_command("pqc_bench", "session.launch.py", arguments),
            folder / _LOGS / "launch.log",
            {"ROS_LOG_DIR": str(folder / _LOGS)},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._processes.end(_END_S)

    def check(self) -> None:
        if not self._processes.running:
            raise RunFault(f"the session ended: {explain(self._processes.output())}")
        for end, pid in self._pids.items():
            if name_of(pid) != NODE:
                # The launch ends all of them when one has failed.
                cause = failure_in(self._processes.output())
                raise RunFault(cause or f"the tunnel of the {end} has ended")

    def pids(self) -> dict[str, int]:
        """Return the process ids of the tunnel nodes that run, by end."""
        if len(self._pids) < len(NAMESPACES):
            self._pids |= tunnel_nodes(self._processes.pid)
        return dict(self._pids)

    def running(self) -> bool:
        return self._processes.running

    def wait(self) -> bool:
        """Wait for the end of the launch; return whether every process exited cleanly."""
        code = self._processes.wait(_END_S)
        died = any("process has died" in line for line in self._processes.output())
        return code == 0 and not died


def bag_of(folder: Path) -> dict[str, Any] | None:
    """Return the size and the messages by topic of a finished bag; None if there is none."""
    metadata = folder / "metadata.yaml"
    try:
        content = yaml.safe_load(metadata.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return None
    topics = content["rosbag2_bagfile_information"]["topics_with_message_count"]
    return {
        "path": folder.name,
        "bytes": sum(file.stat().st_size for file in folder.glob("*.mcap")),
        "messages": {topic["topic_metadata"]["name"]: topic["message_count"] for topic in topics},
    }
