# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Network namespaces, which are apart from the machine's own network."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

_CLONE_NEWNET = 0x40000000
_OWN = Path("/proc/thread-self/ns/net")
_OPTIONS = Path("/proc/sys/net")


class Network:
    """A namespace without any interface but its own loopback; a context manager."""

    def __init__(self) -> None:
        self._descriptor = -1

    def __enter__(self) -> Network:
        """Create it; it exists as long as this object or a process in it."""
        before = os.open(_OWN, os.O_RDONLY)
        try:
            _call("unshare", _CLONE_NEWNET)
            self._descriptor = os.open(_OWN, os.O_RDONLY)
        finally:
            _call("setns", before, _CLONE_NEWNET)
            os.close(before)
        self.run("ip", "link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Move this thread, and processes that it starts meanwhile, into the namespace."""
        before = os.open(_OWN, os.O_RDONLY)
        try:
            _call("setns", self._descriptor, _CLONE_NEWNET)
            yield
        finally:
            _call("setns", before, _CLONE_NEWNET)
            os.close(before)

    def run(self, *command: str, given: str = "") -> str:
        """Run a command in it and return its output; RunFault with its messages if it fails."""
        with self.inside():
            try:
                done = subprocess.run(
                    command, input=given, capture_output=True, text=True, check=False
                )
            except OSError as error:
                raise RunFault(f"'{command[0]}' can't be run: {error.strerror}") from error
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip().splitlines()
            raise RunFault(f"'{' '.join(command)}' failed: {words[-1] if words else 'no reason'}")
        return done.stdout

    def connect(self, interface: str, address: str, other: Network, at_other: str) -> None:
        """Connect it to another by a pair of interfaces; `address` and `at_other` are with length.

        Both interfaces have the same name.
        """
        peer = f"/proc/{os.getpid()}/fd/{other._descriptor}"
        pair = ("add", "name", interface, "type", "veth", "peer", "name", interface, "netns", peer)
        self.run("ip", "link", *pair)
        for network, own in ((self, address), (other, at_other)):
            network.run("ip", "address", "add", own, "dev", interface)
            network.run("ip", "link", "set", interface, "up")

    def set_option(self, name: str, value: str) -> None:
        """Set one of its network options, named as below /proc/sys/net."""
        with self.inside():
            try:
                (_OPTIONS / name).write_text(value, encoding="ascii")
            except OSError as error:
                raise RunFault(f"net/{name} can't be set: {error.strerror}") from error


def _call(function: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise RunFault(f"a network namespace can't be used: {reason}")
