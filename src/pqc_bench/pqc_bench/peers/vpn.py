# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""VPNs between two tunnel interfaces in a network namespace of their own.

Both addresses are in one namespace, so that one clock measures. By default the kernel delivers
between local addresses without any interface. Routing rules before the table of local addresses
send outgoing datagrams through the VPN, and accept only those that come out of it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import die_with_parent, stop
from pqc_testing.ports import LOOPBACK

from pqc_bench.harness.blaster import Applications
from pqc_bench.harness.network import Network
from pqc_bench.peers.peer import ENDS

# TEST-NET-1 (RFC 5737), in a network namespace of its own.
_ADDRESSES = dict(zip(ENDS, ipaddress.ip_network((0xC0000200, 30)).hosts(), strict=True))
_OTHER = {"drone": "gcs", "gcs": "drone"}
# WireGuard's sockets are named like its interfaces, in a place that all namespaces share.
_INTERFACES = {end: f"{end}{os.getpid()}" for end in ENDS}
# All of the namespace's ports are free.
_LINK_PORTS = {"drone": 40001, "gcs": 40002}
_APPLICATION_PORT = 40003
_START_S = 15.0


class Vpn(ABC):
    """Two processes of a VPN; a context manager. Subclasses define its keys and commands."""

    name = "vpn"
    set_up_by_itself = False  # whether it gives its interface an address

    def __init__(self, folder: Path) -> None:
        """Prepare; `folder` takes keys and logs."""
        self._folder = folder
        self._network = Network()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        drone, ground = (Endpoint(str(_ADDRESSES[end]), _APPLICATION_PORT) for end in ENDS)
        self.applications = Applications(ground, drone, drone, ground)

    def __enter__(self) -> Vpn:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._network)
            stack.callback(self._stop)
            self.prepare()
            for end in ENDS:
                self._start(end)
            for end in ENDS:
                self._wait_for_interface(end)
                self.join(end)
            self._route()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Move this thread to the namespace of the applications."""
        with self._network.inside():
            yield

    def processes(self, end: str) -> list[int]:
        return [self._processes[end].pid]

    def check(self) -> None:
        """Raise RunFault if an end has ended."""
        for end, process in self._processes.items():
            if process.poll() is not None:
                words = self._log(end).read_text(encoding="utf-8", errors="replace").split("\n")
                lines = [line for line in words if line.strip()] or ["it gave no reason"]
                raise RunFault(f"{self.name} ended: {lines[-1]}")

    @abstractmethod
    def prepare(self) -> None:
        """Make keys."""

    @abstractmethod
    def command(self, end: str) -> list[str]:
        """Return the command."""

    def join(self, end: str) -> None:  # noqa: B027 - some need no configuration
        """Configure the peer of an end, after its interface exists."""

    def _log(self, end: str) -> Path:
        return self._folder / f"{end}.log"

    def _start(self, end: str) -> None:
        with self._network.inside(), self._log(end).open("wb") as log:
            self._processes[end] = subprocess.Popen(
                self.command(end),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                preexec_fn=die_with_parent,
            )

    def _stop(self) -> None:
        for process in self._processes.values():
            stop(process)

    def _wait_for_interface(self, end: str) -> None:
        deadline = time.monotonic() + _START_S
        while True:
            self.check()
            try:
                self._network.run("ip", "link", "show", _INTERFACES[end])
                return
            except RunFault:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    def _route(self) -> None:
        ip = ("ip", "-4")
        self._network.set_option("ipv4/conf/all/rp_filter", "0")
        for number, end in enumerate(ENDS):
            interface, other = _INTERFACES[end], str(_ADDRESSES[_OTHER[end]])
            if not self.set_up_by_itself:
                self._network.run("ip", "link", "set", interface, "up")
                self._network.run(*ip, "address", "add", f"{_ADDRESSES[end]}/32", "dev", interface)
            for option, value in (("accept_local", "1"), ("rp_filter", "0")):
                self._network.set_option(f"ipv4/conf/{interface}/{option}", value)
            table = str(100 + number)
            self._network.run(*ip, "route", "add", other, "dev", interface, "table", table)
            self._network.run(
                *(*ip, "rule", "add", "pref", str(10 + number), "iif", "lo"),
                *("from", str(_ADDRESSES[end]), "to", other, "lookup", table),
            )
        self._network.run(*ip, "rule", "add", "pref", "20", "lookup", "local")
        self._network.run(*ip, "rule", "del", "pref", "0")


class BoringTun(Vpn):
    """BoringTun, WireGuard in Rust: ChaCha20-Poly1305, configured by `wg`."""

    name = "boringtun"

    def prepare(self) -> None:
        self._public = {}
        for end in ENDS:
            private = self._network.run("wg", "genkey")
            file = self._folder / f"{end}.key"
            file.touch(mode=0o600)
            file.write_text(private, encoding="ascii")
            self._public[end] = self._network.run("wg", "pubkey", given=private).strip()

    def join(self, end: str) -> None:
        """Give an end its key and its peer; only the drone gets the address of its peer.

        If both began a handshake at once, they would retry only after seconds.
        """
        other = _OTHER[end]
        where = ("endpoint", str(Endpoint(LOOPBACK, _LINK_PORTS[other]))) if end == "drone" else ()
        self._network.run(
            *("wg", "set", _INTERFACES[end], "listen-port", str(_LINK_PORTS[end])),
            *("private-key", str(self._folder / f"{end}.key"), "peer", self._public[other]),
            *(*where, "allowed-ips", f"{_ADDRESSES[other]}/32"),
        )

    def command(self, end: str) -> list[str]:
        return ["boringtun-cli", "-f", "--disable-drop-privileges", _INTERFACES[end]]


class OpenVpn(Vpn):
    """OpenVPN without a server: AES-256-GCM, TLS with certificates known by their fingerprints."""

    name = "openvpn"
    set_up_by_itself = True

    def prepare(self) -> None:
        self._fingerprint = {}
        for end in ENDS:
            key, certificate = self._folder / f"{end}.key", self._folder / f"{end}.crt"
            self._network.run(
                *("openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"),
                *("-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={end}"),
                *("-keyout", str(key), "-out", str(certificate)),
            )
            output = self._network.run(
                *("openssl", "x509", "-in", str(certificate)),
                *("-noout", "-fingerprint", "-sha256"),
            )
            self._fingerprint[end] = output.strip().rpartition("=")[2]

    def command(self, end: str) -> list[str]:
        other = _OTHER[end]
        return [
            *("openvpn", "--dev", _INTERFACES[end], "--dev-type", "tun", "--proto", "udp4"),
            *("--local", LOOPBACK, "--lport", str(_LINK_PORTS[end])),
            *("--remote", LOOPBACK, "--rport", str(_LINK_PORTS[other])),
            *("--ifconfig", str(_ADDRESSES[end]), str(_ADDRESSES[other])),
            *("--tls-server" if end == "gcs" else "--tls-client", "--dh", "none"),
            *("--cert", f"{end}.crt", "--key", f"{end}.key"),
            *("--peer-fingerprint", self._fingerprint[other]),
            *("--data-ciphers", "AES-256-GCM", "--tun-mtu", "1500", "--verb", "1"),
        ]
