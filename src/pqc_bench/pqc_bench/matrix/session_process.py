# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One launch of session.launch.py as a child, and the nodes in it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from pqc_bench.bench.fault import BenchFault
from pqc_bench.bench.pair_parameters import Ports
from pqc_bench.child import descendants, end_with_parent, name_of
from pqc_bench.demo.launched import explain
from pqc_bench.matrix.plan import Cell

_NODE = "tunnel_node"
_END_S = 40.0
_NAMESPACES = {"__ns:=/pqc": "drone", "__ns:=/gcs/pqc": "gcs"}
_LOGS = "logs"


class SessionProcess:
    """Starts at once; use it as a context manager, which leaves nothing behind."""

    def __init__(
        self, cell: Cell, folder: Path, keys: Path, control: Path, scenario_command: str
    ) -> None:
        """Launch the cell into its folder."""
        self.ports = Ports.pick()
        self._pids: dict[str, int] = {}
        (folder / _LOGS).mkdir(parents=True, exist_ok=True)
        self._log = folder / _LOGS / "launch.log"
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
        if scenario_command:
            arguments["scenario_command"] = scenario_command
        command = ["ros2", "launch", "pqc_tunnel", "session.launch.py"]
        command += [f"{name}:={value}" for name, value in arguments.items()]
        with self._log.open("wb") as log:
            try:
                # Its own session and process group, which holds nothing but its children.
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "ROS_LOG_DIR": str(folder / _LOGS)},
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            except FileNotFoundError as error:
                raise BenchFault("the command 'ros2' isn't on the path") from error

    def __enter__(self) -> SessionProcess:
        """Use it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what is still there."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def check(self) -> None:
        """Raise BenchFault if the launch or a tunnel has ended."""
        if self._process.poll() is not None:
            text = self._log.read_text(encoding="utf-8", errors="replace")
            raise BenchFault(f"the session ended: {explain(text.splitlines())}")
        for end, pid in self._pids.items():
            if name_of(pid) != _NODE:
                raise BenchFault(f"the tunnel of the {end} has ended")

    def pids(self) -> dict[str, int]:
        """Return the process ids of the tunnel nodes that run, by end."""
        if len(self._pids) < len(_NAMESPACES):
            for pid in descendants(self._process.pid):
                if name_of(pid) == _NODE:
                    with contextlib.suppress(OSError):
                        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
                        for word in words:
                            if word in _NAMESPACES:
                                self._pids[_NAMESPACES[word]] = pid
        return dict(self._pids)

    def running(self) -> bool:
        """Whether the launch is still there."""
        return self._process.poll() is None

    def wait(self) -> bool:
        """Wait for its end; whether every process ended by itself when asked."""
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return False
        text = self._log.read_text(encoding="utf-8", errors="replace")
        return code == 0 and "process has died" not in text


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
