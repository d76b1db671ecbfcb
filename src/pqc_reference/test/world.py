# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and its ground station in memory, with a clock and a link of their own."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from pqc_reference.config import Config, Plaintext
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.policy import Policy, every_suite_from
from pqc_reference.crypto.suites import SIGNATURES, Signature, Suite, suite_named
from pqc_reference.drone import Drone
from pqc_reference.end import Datagram, End
from pqc_reference.ground import Ground
from pqc_reference.identity import DroneIdentity, DroneRecord, GcsIdentity
from pqc_reference.session.epoch_keys import EpochKeys

NAME = "drone1"
DRONE, GCS = ("10.0.0.2", 46011), ("10.0.0.1", 46012)
MLKEM = "cs-mlkem512-aesgcm-mldsa44"
LONGEST_S = 300.0


def suite(name: str) -> Suite:
    found = suite_named(name)
    assert found is not None
    return found


@cache
def signing_keys(signature: Signature, owner: str) -> tuple[bytes, bytes]:
    """Return a public and a secret key, the same for each call."""
    with liboqs.load().Signature(signature.oqs_name) as maker:
        return maker.generate_keypair(), maker.export_secret_key()


def identities(
    signatures: tuple[Signature, ...] = SIGNATURES,
) -> tuple[DroneIdentity, GcsIdentity, DroneRecord]:
    """Return a drone and a ground station that know each other."""
    signatures = tuple(filter(liboqs.offers, signatures))
    drone = {s: signing_keys(s, "drone") for s in signatures}
    gcs = {s: signing_keys(s, "gcs") for s in signatures}
    drone_id, gcs_id, psk = b"drone__1", b"\x0a" * 32, b"\x05" * 32
    return (
        DroneIdentity(
            name=NAME,
            id=drone_id,
            psk=psk,
            gcs_id=gcs_id,
            gcs_keys={s: keys[0] for s, keys in gcs.items()},
            signing_keys={s: keys[1] for s, keys in drone.items()},
        ),
        GcsIdentity(gcs_id, {s: keys[1] for s, keys in gcs.items()}),
        DroneRecord(NAME, drone_id, psk, {s: keys[0] for s, keys in drone.items()}),
    )


def config(role: str, first: Suite, policy: Policy, **changes: Any) -> Config:
    plaintext = Plaintext("127.0.0.1", 0, "", 0)
    values: dict[str, Any] = {
        "role": role,
        "identity_dir": Path(),
        "suite": first if role == "drone" else None,
        "policy": policy,
        "plaintexts": {"" if role == "drone" else NAME: plaintext},
        "gcs_address": "",
        "gcs_datagram_port": 0,
        "datagram_port": 0,
        "bind_address": "",
        "link_mtu_bytes": 1500,
        "peer_timeout_s": 3.0,
        "keepalive_interval_s": 1.0,
        "report_interval_s": 0.5,
        "max_age_s": 1.0,
        "anchor": "auto",
        "wipe_after_s": 600.0,
        "max_key_age_s": 0.0,
        "max_ratchets": 60,
        "prefetch_max_bytes": 0,
        "prefetch_airtime": 0.02,
    }
    return Config(**values | changes)


@dataclass
class Link:
    """What happens to datagrams on their way."""

    latency_s: float = 0.02
    jitter_s: float = 0.0
    loss: float = 0.0
    duplicates: float = 0.0
    change: Callable[[bytes, str], bytes | None] = lambda datagram, direction: datagram
    cut: bool = False
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def delays(self) -> list[float]:
        """Return the delays of the copies of a datagram that arrive."""
        if self.cut or self.random.random() < self.loss:
            return []
        copies = 2 if self.random.random() < self.duplicates else 1
        return [self.latency_s + self.random.uniform(0, self.jitter_s) for _ in range(copies)]


class World:
    """Both ends; nothing happens but by `run`, and the clock is that of the world."""

    def __init__(
        self,
        first: str = MLKEM,
        *,
        mode: int = 0,
        policy: Policy | None = None,
        gcs_policy: Policy | None = None,
        drone: dict[str, Any] | None = None,
        gcs: dict[str, Any] | None = None,
        link: Link | None = None,
        job_s: float = 0.0,
        same: dict[str, Any] | None = None,
        identity: tuple[DroneIdentity, GcsIdentity, DroneRecord] | None = None,
    ) -> None:
        """`same` are values of both configurations, `drone` and `gcs` those of one."""
        policy = policy or every_suite_from(1, experimental=True, mode=mode)
        self.link = link or Link()
        self.now = 1000.0
        self.events: list[tuple[str, str]] = []
        self.delivered: dict[str, list[bytes]] = {"drone": [], "gcs": []}
        self.seen: list[tuple[str, bytes]] = []  # the datagrams of the link, by direction
        self._job_s = job_s
        self._number = count()
        self._calendar: list[tuple[float, int, Callable[[], None]]] = []
        self._identity, gcs_identity, record = identity or identities()
        self._drone_config = config("drone", suite(first), policy, **(same or {}), **(drone or {}))
        gcs_config = config(
            "gcs", suite(first), gcs_policy or policy, **(same or {}), **(gcs or {})
        )
        self._ground_parts = (gcs_config, gcs_identity, [record])
        self.restart_ground()
        self.restart_drone()

    def restart_drone(self) -> None:
        """Begin again with a new drone."""
        self.drone = Drone(
            self._drone_config,
            self._identity,
            lambda text, _: self.events.append(("drone", text)),
            lambda _, datagram: self.delivered["drone"].append(datagram),
        )
        self.drone_address = DRONE
        self._take(self.drone, self.drone.handle_home([GCS], self.now))

    def restart_ground(self) -> None:
        """Begin again with a new ground station."""
        self.ground = Ground(
            *self._ground_parts,
            lambda text, _: self.events.append(("gcs", text)),
            lambda _, datagram: self.delivered["gcs"].append(datagram),
        )

    # --- Time ---

    def run(self, until: Callable[[], Any], limit_s: float = LONGEST_S) -> None:
        """Let things happen until a condition holds."""
        end = self.now + limit_s
        while not until():
            assert self.now < end, f"it never happened; {self.events[-6:]}"
            self._step(end)

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self._step(end)

    def _step(self, end: float) -> None:
        due = [(e.next_timeout(), e) for e in (self.drone, self.ground)]
        time, soonest = min(due, key=lambda pair: pair[0])
        if self._calendar and self._calendar[0][0] <= min(time, end):
            self.now, _, happen = heapq.heappop(self._calendar)
            happen()
        elif time <= end:
            self.now = max(self.now, time)
            self._take(soonest, soonest.handle_timeout(self.now))
            assert soonest.next_timeout() > self.now or self._calendar, "it would never wait"
        else:
            self.now = end

    def _at(self, time: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._calendar, (time, next(self._number), happen))

    # --- The link ---

    def _take(self, end: End, outgoing: list[Datagram]) -> None:
        for datagram in outgoing:
            self._carry(end, datagram)
        for job in end.take_jobs():
            outcome = job.run()
            self._at(
                self.now + self._job_s,
                lambda job=job, outcome=outcome: self._take(
                    end, end.handle_outcome(job, outcome, self.now)
                ),
            )

    def _carry(self, sender: End, datagram: Datagram) -> None:
        up = sender is self.drone
        direction = "up" if up else "down"
        payload = self.link.change(datagram.payload, direction)
        arrives = datagram.address == (GCS if up else self.drone_address)
        if payload is None or not arrives:
            return
        self.seen.append((direction, payload))
        source = self.drone_address if up else GCS
        for delay in self.link.delays():
            self.inject(payload, direction, source, delay)

    def inject(self, payload: bytes, direction: str, source: Any, delay: float = 0.0) -> None:
        def arrive() -> None:
            end = self.ground if direction == "up" else self.drone
            self._take(end, end.handle_datagram(payload, source, self.now))

        self._at(self.now + delay, arrive)

    # --- What the tests ask for ---

    @property
    def keys(self) -> tuple[EpochKeys | None, EpochKeys | None]:
        """The keys that the drone and the ground station send under, once they are confirmed."""
        slots = [end.peers[0].slots for end in (self.drone, self.ground)]
        drone, gcs = (s.sending if s.confirmed else None for s in slots)
        return drone, gcs

    @property
    def in_step(self) -> bool:
        """Whether both ends send under keys of the same session and epoch."""
        drone, gcs = self.keys
        if drone is None or gcs is None:
            return False
        return (drone.session.id, drone.epoch) == (gcs.session.id, gcs.epoch)

    def connect(self) -> None:
        """Run until both ends have keys."""
        self.run(lambda: self.in_step)

    def begin_rekey(
        self, name: str | None = None, *, end: End | None = None, **kind: bool
    ) -> Future[str | None]:
        end = end or self.drone
        wanted = None if name is None else suite(name)
        outcome = end.request_rekey(wanted, self.now, **kind)
        self._take(end, end.handle_timeout(self.now))
        return outcome

    def rekey(self, name: str | None = None, *, end: End | None = None, **kind: bool) -> str | None:
        """Rekey; return None, or why that failed."""
        outcome = self.begin_rekey(name, end=end, **kind)
        self.run(outcome.done)
        if outcome.result() is None:
            self.run(lambda: self.in_step)
        return outcome.result()

    def say(self, end: End, datagram: bytes) -> None:
        self._take(end, end.handle_plaintext(end.peers[0].name, datagram, self.now))

    def check_data(self) -> None:
        """Check that datagrams pass both ways; only for links without loss."""
        text = b"text %d" % next(self._number)
        self.say(self.drone, text)
        self.say(self.ground, text)
        self.run(lambda: text in self.delivered["drone"] and text in self.delivered["gcs"], 5.0)

    def heard(self, end: str, text: str) -> bool:
        return any(who == end and text in what for who, what in self.events)


def changed(identity: DroneIdentity, **changes: Any) -> DroneIdentity:
    """Return a drone's identity with other values."""
    return replace(identity, **changes)


def flipped(position: int) -> Callable[[bytes], bytes]:
    """Return a function that flips a bit."""

    def spoil(text: bytes) -> bytes:
        spoiled = bytearray(text)
        spoiled[position] ^= 1
        return bytes(spoiled)

    return spoil


def connected(first: str = MLKEM, **given: Any) -> World:
    world = World(first, **given)
    world.connect()
    return world
