# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Two machines for a test: network namespaces joined by a cable, apart from the real network.

    with joined_namespaces() as (host, stranger):
        host.run("nft", "--file", "-", given=rules)
        listener = stranger.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server = host.start("some_program", "--port", "14550")

They need root: ask why_not() first and skip the test with its sentence. A launch test that needs
them until its end enters the context in generate_test_description and hands the ExitStack to its
tests; launch starts programs inside by ExecuteProcess(cmd=host.command(…)) or
Node(prefix=host.prefix).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

INTERFACE = "cable"
PROGRAMS = ("ip", "nsenter", "unshare")
# RFC 5737 and RFC 3849: addresses that no real network has.
ADDRESSES = (("192.0.2.1", "2001:db8::1"), ("192.0.2.2", "2001:db8::2"))
_OWN = Path("/proc/thread-self/ns/net")
_CLONE_NEWNET = 0x40000000
# Ends with its standard input, so that a killed test leaves nothing behind. A separate /dev/shm
# isolates the shared memory of ROS middleware.
_HOLDER = "mount -t tmpfs tmpfs /dev/shm && echo ready && read -r _"


def why_not(*programs: str) -> str:
    """Return a sentence if namespaces, or programs that a test needs, are missing; else nothing."""
    missing = [name for name in (*PROGRAMS, *programs) if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not Path("/proc/sys/net/ipv6").exists():
        return "this kernel has no IPv6"
    try:
        with joined_namespaces():
            return ""
    except RuntimeError as error:
        return str(error)


class Namespace:
    """A machine: its own interfaces, ports, firewall and shared memory; the files are shared."""

    def __init__(self, name: str, ipv4: str, ipv6: str) -> None:
        """Describe it; entering the context makes it, leaving it kills the programs inside."""
        self.name = name
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self._processes = contextlib.ExitStack()
        self._pid = 0
        self._descriptor = -1

    def __enter__(self) -> Namespace:
        """Make it, with a loopback interface only."""
        with contextlib.ExitStack() as stack:
            holder = stack.enter_context(
                _ended(
                    subprocess.Popen(
                        ["unshare", "--net", "--ipc", "--mount", "sh", "-c", _HOLDER],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        text=True,
                    )
                )
            )
            if holder.stdout.readline() != "ready\n":
                reason = holder.stderr.read().strip() or "no reason given"
                raise RuntimeError(f"no network namespace can be made here: {reason}")
            self._pid = holder.pid
            self._descriptor = os.open(f"/proc/{holder.pid}/ns/net", os.O_RDONLY)
            stack.callback(os.close, self._descriptor)
            # Addresses are usable at once: no duplicate is possible.
            self.set_option("ipv6/conf/default/accept_dad", "0")
            self.run("ip", "link", "set", "lo", "up")
            self._processes = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the programs inside, and remove it."""
        self._processes.close()

    def command(self, *words: str) -> list[str]:
        """Return the command line of a program inside; nsenter becomes it, so its id stays."""
        entered = ("nsenter", "--target", str(self._pid), "--net", "--ipc", "--mount", "--wd")
        return [*entered, "--", *words]

    @property
    def prefix(self) -> str:
        """The prefix of a command line, for launch's Node."""
        return shlex.join(self.command())

    def run(self, *words: str, given: str = "") -> str:
        """Run a command and return its output; RuntimeError with its errors if it fails."""
        done = subprocess.run(
            self.command(*words), input=given, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            output = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
            raise RuntimeError(f"'{shlex.join(words)}' failed in {self.name}: {output}")
        return done.stdout

    def start(self, *words: str, **options: object) -> subprocess.Popen:
        """Start a program with options of Popen; the end of the namespace kills it."""
        process = subprocess.Popen(self.command(*words), **options)
        return self._processes.enter_context(_ended(process))

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Let this thread open sockets inside; they stay there afterwards."""
        before = os.open(_OWN, os.O_RDONLY)
        try:
            _enter(self._descriptor)
            yield
        finally:
            _enter(before)
            os.close(before)

    def socket(self, family: int, kind: int) -> socket.socket:
        """Return a new socket inside."""
        with self.inside():
            return socket.socket(family, kind)

    def set_option(self, name: str, value: str) -> None:
        """Set a network option by its path below /proc/sys/net."""
        with self.inside():
            try:
                Path("/proc/sys/net", name).write_text(value, encoding="ascii")
            except OSError as error:
                raise RuntimeError(f"net/{name} can't be set: {error.strerror}") from error

    def join(self, other: Namespace) -> None:
        """Connect it to another one; both get addresses, and multicast uses this link."""
        peer = ("peer", "name", INTERFACE, "netns", str(other._pid))
        self.run("ip", "link", "add", INTERFACE, "type", "veth", *peer)
        for end in (self, other):
            end.run("ip", "address", "add", f"{end.ipv4}/24", "dev", INTERFACE)
            end.run("ip", "address", "add", f"{end.ipv6}/64", "dev", INTERFACE, "nodad")
            end.run("ip", "link", "set", INTERFACE, "up")
            end.run("ip", "route", "add", "224.0.0.0/4", "dev", INTERFACE)


@contextlib.contextmanager
def joined_namespaces(
    first: str = "host", second: str = "stranger"
) -> Iterator[tuple[Namespace, Namespace]]:
    """Make two connected namespaces; both are removed afterwards in any case."""
    with (
        Namespace(first, *ADDRESSES[0]) as near,
        Namespace(second, *ADDRESSES[1]) as far,
    ):
        near.join(far)
        yield near, far


@contextlib.contextmanager
def _ended(process: subprocess.Popen) -> Iterator[subprocess.Popen]:
    """Kill a process at the end, and close its pipes."""
    with process:
        try:
            yield process
        finally:
            process.kill()


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise RuntimeError(f"a network namespace can't be entered: {reason}")
