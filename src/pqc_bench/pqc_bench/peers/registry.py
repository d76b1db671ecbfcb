# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All peers by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pqc_bench.peers.other_build import OtherBuild
from pqc_bench.peers.peer import Peer
from pqc_bench.peers.plain import Direct, Relay
from pqc_bench.peers.tunnels import Nodes, daemons, plan_for, references
from pqc_bench.peers.vpn import BoringTun, OpenVpn

PEERS: dict[str, Callable[[Path, str], Peer]] = {
    "direct": lambda _folder, _suite: Direct(),
    "relay": lambda _folder, _suite: Relay(),
    "relay-unbatched": lambda _folder, _suite: Relay("--unbatched"),
    "node": lambda folder, suite: Nodes(folder, plan_for(suite)),
    "tunneld": lambda folder, suite: daemons(folder, plan_for(suite)),
    "reference": lambda folder, suite: references(folder, plan_for(suite)),
    "boringtun": lambda folder, _suite: BoringTun(folder),
    "openvpn": lambda folder, _suite: OpenVpn(folder),
}


def make_peer(
    name: str, folder: Path, suite: str, builds: Mapping[str, Path] | None = None
) -> Peer:
    """Return a peer that is not started yet; `folder`, for this peer alone, takes its files.

    `builds` are the install prefixes of other builds by their names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if builds and name in builds:
        return OtherBuild(folder, plan_for(suite), builds[name])
    return PEERS[name](folder, suite)
