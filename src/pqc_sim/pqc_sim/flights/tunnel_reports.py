# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages that the tunnel publishes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from pqc_policy.policy.suites import AEADS, SUITES, find_suite

from pqc_sim.flights.messages import made, shortened, stamp
from pqc_sim.physics.link_estimator import LinkFigures
from pqc_sim.physics.radio import PACKET_BYTES, Radio
from pqc_sim.tunnel.events import NEW_KEYS, Event, Kind, State
from pqc_sim.tunnel.live_tunnel import LiveTunnel

PEER = "ground"
_OVERHEAD_BYTES = 25  # header, time, kind and tag
_CLOCK_OFFSET_S = 0.0021
_LINK_BITS = 12  # precision of the tunnel's own figures


class TunnelReports:
    """Makes the messages, and counts what the node counts beside its sessions.

    `start_ns` is the time of the flight's start, in ns.
    """

    def __init__(self, start_ns: int, tunnel: LiveTunnel, radio: Radio, seed: str) -> None:
        self.dropped: Counter[str] = Counter()  # datagrams by reason since the node's start
        self._start_ns = start_ns
        self._tunnel = tunnel
        self._radio = radio
        self._seed = seed
        self._sessions = 1
        self._sent_at_start = self._sent_at_keys = 0

    def note(self, happened: Event) -> None:
        self._sessions += happened.kind is Kind.HANDSHAKE_COMPLETED
        if happened.kind in NEW_KEYS:
            self._sent_at_keys = self._radio.up.sent

    def restarted(self) -> None:
        """Count anew, as a node that has been started."""
        self.dropped.clear()
        self._sent_at_start = self._radio.up.sent

    def status(self, at_ns: int, now_s: float) -> Any:
        tunnel, radio = self._tunnel, self._radio
        suite = find_suite(tunnel.suite)
        sent = radio.up.sent - self._sent_at_start
        received = radio.down.estimator.packets
        return made(
            "pqc_msgs/msg/TunnelStatus",
            stamp=stamp(at_ns),
            role_text="drone",
            peer=PEER,
            state=int(tunnel.state),
            state_text=tunnel.state.name.lower(),
            encrypted=tunnel.state in (State.ESTABLISHED, State.REKEYING),
            since_heard_s=now_s - radio.down.estimator.last_s if received else -1.0,
            suite=tunnel.suite,
            level=suite.level if suite is not None else 0,
            aead_key_bits=AEADS[suite.aead].key_bits if suite is not None else 0,
            session=self._session(),
            epoch=tunnel.epoch,
            key_age_s=now_s - tunnel.keys_since_s if suite is not None else -1.0,
            packets_under_key=radio.up.sent - self._sent_at_keys,
            handshakes=tunnel.handshakes,
            rekeys=tunnel.rekeys,
            ratchets=tunnel.ratchets,
            rollbacks=tunnel.rollbacks,
            handshake=made(
                "pqc_msgs/msg/HandshakeTiming",
                total_s=tunnel.handshake_s or 0.0,
                encapsulate_s=tunnel.drone_s or 0.0,
            ),
            prekeys=tunnel.prekeys(),
            traffic=made(
                "pqc_msgs/msg/TrafficCounters",
                plain_in_packets=sent,
                plain_in_bytes=sent * (PACKET_BYTES - _OVERHEAD_BYTES),
                plain_out_packets=received,
                plain_out_bytes=received * (PACKET_BYTES - _OVERHEAD_BYTES),
                cipher_in_packets=received,
                cipher_in_bytes=received * PACKET_BYTES,
                cipher_out_packets=sent,
                cipher_out_bytes=sent * PACKET_BYTES,
            ),
            drops=made("pqc_msgs/msg/DropCounters", **self.dropped),
        )

    def link(self, at_ns: int, now_s: float) -> Any:
        radio = self._radio
        report = radio.peer_report
        fields: dict[str, Any] = {"stamp": stamp(at_ns), "peer": PEER}
        fields["local"] = _view(radio.down.estimator.view(now_s))
        if report is not None:
            fields |= {
                "remote_valid": True,
                "remote_age_s": now_s - report.at_s,
                "remote": _view(report.view),
            }
        if radio.rtt_s is not None:
            fields |= {
                "clock_valid": True,
                "rtt_s": radio.rtt_s,
                "clock_offset_s": _CLOCK_OFFSET_S,
                "clock_error_s": radio.rtt_s / 2.0,
                "delay_to_peer_s": radio.rtt_s / 2.0,
                "delay_from_peer_s": radio.rtt_s / 2.0,
            }
        return made("pqc_msgs/msg/LinkReport", **fields)

    def event(self, happened: Event) -> Any:
        return made(
            "pqc_msgs/msg/TunnelEvent",
            kind=int(happened.kind),
            kind_text=happened.kind.name.lower(),
            stamp=stamp(self._start_ns + round(happened.at_s * 1e9)),
            peer=PEER,
            suite=happened.suite,
            epoch=happened.epoch,
            text=happened.text,
        )

    def suites(self, at_ns: int, experimental: bool) -> Any:
        until_ns = {
            suite: self._start_ns + round(until_s * 1e9)
            for suite, until_s in self._tunnel.blacklist.items()
        }
        return made(
            "pqc_msgs/msg/SuiteList",
            stamp=stamp(at_ns),
            suites=[
                made(
                    "pqc_msgs/msg/SuiteInfo",
                    id=suite.id,
                    kem=suite.kem,
                    signature=suite.signature,
                    # The recorded flights have the tokens of both Ascons.
                    aead=suite.aead if "ascon" in suite.aead else AEADS[suite.aead].name,
                    level=suite.level,
                    aead_key_bits=AEADS[suite.aead].key_bits,
                    tier=suite.tier,
                    experimental=suite.experimental,
                    available=True,
                    allowed=experimental or not suite.experimental,
                    blacklisted_until=stamp(until_ns.get(suite.id, 0)),
                )
                for suite in SUITES
            ],
        )

    def _session(self) -> str:
        if not self._tunnel.suite:
            return ""
        return sha256(f"{self._seed}/{self._sessions}".encode()).hexdigest()[:16]


def _view(figures: LinkFigures) -> Any:
    fields = {
        name: shortened(value, _LINK_BITS) if isinstance(value, float) else value
        for name, value in asdict(figures).items()
    }
    return made("pqc_msgs/msg/LinkView", **fields)
