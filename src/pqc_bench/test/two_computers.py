# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A test bed in small: two network namespaces, each reached through an sshd of its own."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import yaml
from pqc_bench.harness.network import Network
from pqc_sim.pair.programs import tunnel_program
from pqc_testing.child import descendants, name_of

ENDS = ("drone", "gcs")
ADDRESSES = {"drone": "192.0.2.1", "gcs": "192.0.2.2"}
SSHD = "/usr/sbin/sshd"


class TwoComputers:
    """Both, with their folders below `folder`; they end with the stack.

    A file `drone.gone` or `gcs.gone` in it keeps new connections from that computer.
    """

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder = folder
        self._networks = {end: stack.enter_context(Network()) for end in ENDS}
        self._networks["drone"].connect(
            "bed", f"{ADDRESSES['drone']}/24", self._networks["gcs"], f"{ADDRESSES['gcs']}/24"
        )
        Path("/run/sshd").mkdir(exist_ok=True)
        for key in ("host", "user"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
            subprocess.run(command, check=True)
        self.ssh_config = folder / "ssh_config"
        self.ssh_config.write_text("".join(map(self._described, ENDS)), encoding="utf-8")

    def bed(self, **changes: dict[str, Any]) -> Path:
        """Write a testbed.yaml with these members of ends, and return it."""
        ends = {
            end: {
                "host": f"{end}-computer",
                "ssh_config": str(self.ssh_config),
                "address": ADDRESSES[end],
                "programs": self._programs(end),
                "folder": str(self.folder / end),
                **changes.get(end, {}),
            }
            for end in ENDS
        }
        file = self.folder / "testbed.yaml"
        content = {**ends, "patience_s": changes.get("patience_s", 60)}
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
        return file

    def gone(self, end: str) -> Path:
        return self.folder / f"{end}.gone"

    @staticmethod
    def _programs(end: str) -> str:
        """Return the folder of pqc_tunneld; an emulator may run that of another processor."""
        given = os.environ.get("PQC_TEST_DRONE_PROGRAMS", "")
        return given if given and end == "drone" else str(tunnel_program("pqc_tunneld").parent)

    def _described(self, end: str) -> str:
        """Return the entry of ssh_config: the connection is a program in the namespace."""
        file = self.folder / f"{end}.sshd_config"
        file.write_text(
            f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\n"
            "StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\n",
            encoding="utf-8",
        )
        network = f"/proc/{os.getpid()}/fd/{self._networks[end]._descriptor}"
        inside = ["nsenter", f"--net={network}", SSHD, "-i", "-f", str(file)]
        script = f"test ! -e {shlex.quote(str(self.gone(end)))} && exec {shlex.join(inside)}"
        return (
            f"Host {end}-computer\n  HostName {ADDRESSES[end]}\n  User root\n"
            f"  ProxyCommand sh -c {shlex.quote(script)}\n  IdentityFile {self.folder}/user\n"
            f"  UserKnownHostsFile {self.folder}/known_hosts\n"
            "  StrictHostKeyChecking accept-new\n"
        )


def connections_of(pid: int) -> list[int]:
    """Return the connections that a run has open now."""
    return [child for child in descendants(pid) if name_of(child) == "ssh"]
