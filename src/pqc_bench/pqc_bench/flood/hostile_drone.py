# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A member of the fleet that floods its ground station with authentic frames of one sort.

It runs as a process of its own, with the arguments IDENTITY HOST GROUND PORT SORT RATE SECONDS, of
which HOST is its own address and GROUND that of the ground station. It prints how many frames it
has sent.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from pqc_reference.config import make_config
from pqc_reference.reference_command import make_shell
from pqc_reference.session.epoch_keys import Kind
from pqc_reference.shell import Shell
from pqc_reference.wire.control import Control, encode
from pqc_testing.ports import free_ports

_POLL_S = 0.01
_HOUR_US = 4_200_000_000
_TOTAL = 1000  # bytes of a message, of which the parts never become one

# Each sort makes the kind and the payload of the n-th frame.
Sort = Callable[[int], tuple[Kind, bytes]]


def _control(kind: Control, *fields: object, transaction: int = 0) -> tuple[Kind, bytes]:
    return Kind.CONTROL, encode(kind, transaction, *fields)


def _part(n: int) -> tuple[Kind, bytes]:
    offset = n * 2 % _TOTAL
    header = bytes([9]) + (n % 65536).to_bytes(2, "big") + offset.to_bytes(3, "big")
    return Kind.STREAM, header + _TOTAL.to_bytes(3, "big") + b"x"


def _ack(n: int) -> tuple[Kind, bytes]:
    ranges = [((n * 16 + i) * 2 % 1_000_000 + 1, 1) for i in range(16)]
    return _control(Control.STREAM_ACK, n % 256, 0, 0, 0, ranges)


SORTS: dict[str, Sort] = {
    "data": lambda _: (Kind.DATA, bytes(1000)),
    "bundles": lambda _: (Kind.BUNDLE, b"\0\1x" * 400),
    "parts": _part,
    "acknowledgements": _ack,
    "wants": lambda n: _control(Control.WANT, bytes(5), 1 + n % 3, n, transaction=n),
    "aborts": lambda n: _control(Control.ABORT, 1, transaction=n),
    "ratchets": lambda n: _control(
        Control.RATCHET, 1, n.to_bytes(32, "big"), b"", bytes(32), transaction=n
    ),
    "time requests": lambda n: _control(Control.TIME_REQ, n),
    "time responses": lambda n: _control(Control.TIME_RSP, n, n, n),
    "reports": lambda _: _control(Control.LINK_REPORT, (_HOUR_US, *[1] * 11), (), ()),
    "keep-alives": lambda _: _control(Control.KEEPALIVE),
    "path requests": lambda n: _control(Control.PATH_REQ, n.to_bytes(8, "big")),
    "path responses": lambda n: _control(Control.PATH_RSP, n.to_bytes(8, "big")),
    "notices": lambda n: _control(Control.NOTICE, 2, n.to_bytes(4, "big")),
    "unknown control": lambda _: (Kind.CONTROL, b"\xff" * 100),
}


async def _flood(shell: Shell, sort: Sort, rate: int, seconds: float) -> int:
    peer = shell.end.peers[0]
    while not peer.slots.confirmed or peer.address is None:
        await asyncio.sleep(_POLL_S)
    sent, begun = 0, time.monotonic()
    while (elapsed := time.monotonic() - begun) < seconds:
        while sent < elapsed * rate and time.monotonic() - begun < seconds:
            kind, payload = sort(sent)
            shell.send_frame(peer, kind, payload)
            sent += 1
            if sent % 64 == 0:
                await asyncio.sleep(0)
        await asyncio.sleep(1 / 500)
    return sent


async def _run(
    identity: str, host: str, ground: str, port: int, sort: Sort, rate: int, seconds: float
) -> int:
    config = make_config(
        "drone",
        {
            "identity_dir": identity,
            "bind_address": host,
            "datagram_port": free_ports(1)[0],
            "gcs_address": ground,
            "gcs_datagram_port": port,
            "plaintext_port": free_ports(1)[0],
        },
    )
    shell = make_shell(config, lambda _text, _keys: None)
    running = asyncio.get_running_loop().create_task(shell.run())
    try:
        return await _flood(shell, sort, rate, seconds)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    identity_dir, own, gcs, gcs_port, name, frames, duration = sys.argv[1:]
    flood = (SORTS[name], int(frames), float(duration))
    print(asyncio.run(_run(identity_dir, own, gcs, int(gcs_port), *flood)))
