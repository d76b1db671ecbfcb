# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One emulated link, UDP or serial, whose ends any programs may take."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import yaml
from pqc_sim.pair.link_emulator import LinkEmulator
from pqc_sim.pair.links import LinkEnds, lay_links, parse_links
from pqc_testing.ports import free_ports

_LINK = "link"
_SEED = 1


def start_link(
    folder: Path, name: str, stack: contextlib.ExitStack
) -> tuple[LinkEnds, LinkEmulator]:
    """Start the link of a profile, which ends with the stack; its files are in a new folder."""
    folder.mkdir(parents=True)
    ports = free_ports(3)
    emulated = replace(*parse_links(name), name=_LINK)
    (link,) = lay_links([emulated], folder, first_udp=(ports[0], ports[1], ports[2]))
    profile = yaml.safe_load(link.link.profile.read_text(encoding="utf-8"))
    emulator = LinkEmulator(folder, 0.0, _SEED, profile=profile)
    emulator.start_between(link.emulator_arguments())
    stack.callback(emulator.stop)
    return link, emulator
