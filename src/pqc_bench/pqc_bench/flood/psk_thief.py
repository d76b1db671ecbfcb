# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody who knows a drone's pre-shared key, proves hellos with it, and is silent then.

It runs as a process of its own, with the arguments IDENTITY HOST GROUND PORT RATE SECONDS as a
hostile drone, and prints a line for each hello that it has proved.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from collections import deque

from pqc_reference.config import Config, make_config
from pqc_reference.crypto import liboqs
from pqc_reference.drone import Drone
from pqc_reference.identity import DroneIdentity, load_drone_identity
from pqc_sim.datagrams.udp_port import Endpoint

_PATIENCE_S = 0.2
_PORTS_OPEN = 200


def _prove(config: Config, identity: DroneIdentity, ground: Endpoint, udp: socket.socket) -> bool:
    """Send a hello, and send it again with the challenge; return whether there was one."""
    drone = Drone(config, identity, lambda *_: None, lambda *_: None)
    outgoing = drone.handle_home([ground], time.monotonic())
    udp.settimeout(_PATIENCE_S)
    while True:
        for datagram in outgoing:
            udp.sendto(datagram.payload, ground)
        if drone.peer.boot is not None:
            return True
        try:
            datagram, source = udp.recvfrom(2048)
        except TimeoutError:
            return False
        outgoing = drone.handle_datagram(datagram, source, time.monotonic())


def _run(identity: str, host: str, ground: Endpoint, rate: float, seconds: float) -> None:
    liboqs.load()
    given = {"identity_dir": identity, "gcs_address": ground.host, "drone_signature": True}
    config = make_config("drone", {**given, "gcs_datagram_port": ground.port})
    keys = load_drone_identity(config.identity_dir)
    ports: deque[socket.socket] = deque(maxlen=_PORTS_OPEN)
    tried, begun = 0, time.monotonic()
    while (elapsed := time.monotonic() - begun) < seconds:
        if tried <= elapsed * rate:
            ports.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            ports[-1].bind((host, 0))
            tried += 1
            if _prove(config, keys, ground, ports[-1]):
                print("proved", flush=True)
        time.sleep(0.002)


if __name__ == "__main__":
    folder, own, gcs, gcs_port, per_second, duration = sys.argv[1:]
    with contextlib.suppress(KeyboardInterrupt):
        _run(folder, own, Endpoint(gcs, int(gcs_port)), float(per_second), float(duration))
