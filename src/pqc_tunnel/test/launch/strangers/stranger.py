# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A stranger on the radio's network that tries to read, to command and to join."""

from __future__ import annotations

import json
import os
import re
import select
import socket
import sys
import threading
import time
from pathlib import Path

from network_namespaces import INTERFACE, Namespace
from pymavlink.dialects.v20 import common as mavlink

ROS_STRANGER = Path(__file__).with_name("ros_stranger.py")
# Tried even if nothing listens there: MAVLink's usual ports, and discovery of domain 0.
USUAL_PORTS = (14540, 14550, 14551, 14555, 14590, 14595, 5760, 7400, *range(7410, 7430))
LISTENING_S = 3.0  # time for answers
_ETH_P_ALL = 3


def open_ports(machine: Namespace, protocol: str) -> set[int]:
    """Return the local ports of a machine's sockets ("udp" or "tcp"), whatever their address."""
    option = {"udp": "--udp", "tcp": "--tcp"}[protocol]
    listed = machine.run("ss", "--no-header", "--numeric", "--listening", option)
    return {int(port) for port in re.findall(r"^\S+\s+\d+\s+\d+\s+\S+:(\d+)\s", listed, re.M)}


def is_readable(datagram: bytes) -> bool:
    """Return whether it is a valid MAVLink frame or an RTPS message."""
    if datagram[:4] == b"RTPS":
        return True
    if datagram[:1] not in (b"\xfd", b"\xfe"):
        return False
    parser = mavlink.MAVLink(None)
    parser.robust_parsing = True
    return any(message.get_type() != "BAD_DATA" for message in parser.parse_buffer(datagram) or [])


def command(marker: int) -> bytes:
    """Return a heartbeat of a ground program, and DO_SET_MODE with a marker."""
    ground = mavlink.MAVLink(None, srcSystem=255, srcComponent=190)
    heartbeat = ground.heartbeat_encode(
        mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 4
    )
    set_mode = ground.command_long_encode(
        1, 1, mavlink.MAV_CMD_DO_SET_MODE, 0, marker, 9, 0, 0, 0, 0, 0
    )
    return heartbeat.pack(ground) + set_mode.pack(ground)


def try_udp(stranger: Namespace, address: str, ports: set[int], marker: int) -> set[int]:
    """Send MAVLink to each port; return those with a readable answer."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    answered: set[int] = set()
    with stranger.socket(family, socket.SOCK_DGRAM) as ours:
        deadline = time.monotonic() + LISTENING_S
        for port in ports:
            ours.sendto(command(marker), (address, port))
        while (left := deadline - time.monotonic()) > 0:
            if select.select([ours], [], [], left)[0]:
                datagram, sender = ours.recvfrom(65536)
                if is_readable(datagram):
                    answered.add(sender[1])
    return answered


def try_tcp(stranger: Namespace, address: str, ports: set[int], marker: int) -> set[int]:
    """Connect to each port and send MAVLink; return those with a readable answer."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    answered: set[int] = set()
    connected: dict[socket.socket, int] = {}
    for port in ports:
        ours = stranger.socket(family, socket.SOCK_STREAM)
        ours.settimeout(1.0)
        try:
            ours.connect((address, port))
            ours.sendall(command(marker))
            connected[ours] = port
        except OSError:
            ours.close()
    deadline = time.monotonic() + LISTENING_S
    while connected and (left := deadline - time.monotonic()) > 0:
        for ours in select.select(list(connected), [], [], left)[0]:
            try:
                received = ours.recv(65536)
            except OSError:
                received = b""
            if is_readable(received):
                answered.add(connected[ours])
            if not received or connected[ours] in answered:
                del connected[ours]
                ours.close()
    for ours in connected:
        ours.close()
    return answered


def try_ros(stranger: Namespace, peers: list[str], seconds: float) -> dict:
    """Try to join the graph for that time; return the nodes seen, topics heard, and "rekey"."""
    environment = {name: value for name, value in os.environ.items() if "FAST" not in name}
    environment |= {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
        "ROS_STATIC_PEERS": ";".join(peers),
        "ROS_DOMAIN_ID": "0",  # that of the ends, whatever the caller has chosen
    }
    process = stranger.start(
        sys.executable, str(ROS_STRANGER), str(seconds), env=environment, stdout=-1, text=True
    )
    output, _ = process.communicate(timeout=seconds + 60)
    return json.loads(output)


class Eavesdropper:
    """Counts the packets at the stranger's interface, and records the senders of readable ones."""

    def __init__(self, stranger: Namespace) -> None:
        with stranger.inside():
            self._socket = socket.socket(
                socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL)
            )
        self._socket.bind((INTERFACE, _ETH_P_ALL))
        self._socket.settimeout(0.2)
        self._stopping = False
        self.heard = 0
        self.readable_from: set[str] = set()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._stopping = True
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while not self._stopping:
            try:
                packet, (_, _, kind, *_) = self._socket.recvfrom(65536)
            except TimeoutError:
                continue
            if kind == socket.PACKET_OUTGOING:
                continue  # sent by the stranger
            self.heard += 1
            # UDP over IPv4 and IPv6 without options.
            if packet[0] >> 4 == 4:
                sender, payload = socket.inet_ntop(socket.AF_INET, packet[12:16]), packet[28:]
            else:
                sender, payload = socket.inet_ntop(socket.AF_INET6, packet[8:24]), packet[48:]
            if is_readable(payload):
                self.readable_from.add(sender)
