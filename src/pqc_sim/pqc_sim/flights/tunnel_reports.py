# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages that the tunnel publishes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pqc_policy.policy.suites import SUITES, find_suite

from pqc_sim.flights.messages import made, shortened, stamp
from pqc_sim.flights.simulated_tunnel import Event, State, Tunnel
from pqc_sim.physics.link_estimator import LinkFigures
from pqc_sim.physics.radio import PACKET_BYTES, Radio

PEER = "ground"
_AEADS = {"aesgcm": "AES-256-GCM", "chacha20poly1305": "ChaCha20-Poly1305"}
_OVERHEAD_BYTES = 25  # header, time, kind and tag
_CLOCK_OFFSET_S = 0.0021
_LINK_BITS = 12  # precision of the tunnel's own figures


def status(at_ns: int, now_s: float, tunnel: Tunnel) -> Any:
    """Return a TunnelStatus."""
    suite = find_suite(tunnel.suite)
    radio = tunnel.radio
    sent = radio.up.sent - tunnel.sent_before
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
        aead_key_bits=_key_bits(suite.aead) if suite is not None else 0,
        session=tunnel.session,
        epoch=tunnel.epoch,
        key_age_s=now_s - tunnel.keys_since_s if suite is not None else -1.0,
        packets_under_key=radio.up.sent - tunnel.packets_at_keys,
        handshakes=tunnel.handshakes,
        rekeys=tunnel.rekeys,
        rollbacks=tunnel.rollbacks,
        handshake=made(
            "pqc_msgs/msg/HandshakeTiming",
            total_s=tunnel.handshake_s,
            encapsulate_s=tunnel.profile.cost(suite).drone_s if suite is not None else 0.0,
        ),
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
        drops=made(
            "pqc_msgs/msg/DropCounters",
            **{reason: int(count) for reason, count in tunnel.dropped.items()},
        ),
    )


def link(at_ns: int, now_s: float, radio: Radio) -> Any:
    """Return a LinkReport."""
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


def event(start_ns: int, happened: Event) -> Any:
    """Return a TunnelEvent."""
    return made(
        "pqc_msgs/msg/TunnelEvent",
        kind=int(happened.kind),
        kind_text=happened.kind.name.lower(),
        stamp=stamp(start_ns + round(happened.at_s * 1e9)),
        peer=PEER,
        suite=happened.suite,
        epoch=happened.epoch,
        text=happened.text,
    )


def suites(at_ns: int, start_ns: int, tunnel: Tunnel, experimental: bool) -> Any:
    """Return a SuiteList."""
    never = stamp(0)
    return made(
        "pqc_msgs/msg/SuiteList",
        stamp=stamp(at_ns),
        suites=[
            made(
                "pqc_msgs/msg/SuiteInfo",
                id=suite.id,
                kem=suite.kem,
                signature=suite.signature,
                aead=_AEADS.get(suite.aead, suite.aead),
                level=suite.level,
                aead_key_bits=_key_bits(suite.aead),
                tier=suite.tier,
                experimental=suite.experimental,
                available=True,
                allowed=experimental or not suite.experimental,
                blacklisted_until=(
                    stamp(start_ns + round(tunnel.blacklist[suite.id] * 1e9))
                    if suite.id in tunnel.blacklist
                    else never
                ),
            )
            for suite in SUITES
        ],
    )


def _key_bits(aead: str) -> int:
    return 128 if aead.startswith("ascon") else 256


def _view(figures: LinkFigures) -> Any:
    fields = {
        name: shortened(value, _LINK_BITS) if isinstance(value, float) else value
        for name, value in asdict(figures).items()
    }
    return made("pqc_msgs/msg/LinkView", **fields)
