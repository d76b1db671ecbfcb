# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`pqc_relay` as a child: an end of a tunnel without cryptography."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.programs import tool_program
from pqc_testing.child import die_with_parent


def start_relay(
    link: Endpoint, ways: Iterable[tuple[Endpoint, Endpoint, Endpoint]], *flags: str
) -> subprocess.Popen[str]:
    """Start a relay at `link`; a way is the plaintext port, the application, and the other link."""
    words = ["--link", str(link), *flags]
    for way in ways:
        for name, where in zip(("plaintext", "application", "peer"), way, strict=True):
            words += [f"--{name}", str(where)]
    return subprocess.Popen(
        [str(tool_program("pqc_relay")), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=die_with_parent,
    )
