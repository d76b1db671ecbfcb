# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pqc_sim.datagrams.drain import Drain
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort, parse_endpoint

SECOND = 1_000_000_000
HOST = "127.0.0.1"


@pytest.mark.parametrize("text", ["127.0.0.1:14550", "[::1]:14550", "0.0.0.0:0"])
def test_an_address_is_read_as_it_is_written(text: str) -> None:
    assert str(parse_endpoint(text)) == text


@pytest.mark.parametrize("text", ["", ":1", "127.0.0.1", "127.0.0.1:", "1.2.3.4:70000", "a:b"])
def test_an_invalid_address_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="isn't"):
        parse_endpoint(text)


def test_datagrams_that_the_kernel_drops_are_counted() -> None:
    receiver, sender = UdpPort(Endpoint(HOST, 0)), UdpPort(Endpoint(HOST, 0))
    sent = 0
    for _ in range(20_000):
        sent += sender.send(bytes(1400), receiver.address)
    received = sum(1 for _ in receiver.receive_all())
    # The count of drops travels with the next datagram that gets in.
    sender.send(b"next", receiver.address)
    received += sum(1 for _ in receiver.receive_all())
    assert receiver.kernel_drops > 0
    assert received + receiver.kernel_drops == sent + 1
    receiver.close()
    sender.close()


def test_draining_ends_after_a_quiet_time() -> None:
    drain = Drain(quiet_ns=SECOND, longest_ns=10 * SECOND)
    assert not drain.finished(100 * SECOND)
    drain.begin(0)
    drain.note(SECOND // 2)
    assert not drain.finished(SECOND)
    assert drain.finished(SECOND * 3 // 2)


def test_draining_ends_at_last_even_if_it_is_never_quiet() -> None:
    drain = Drain(quiet_ns=SECOND, longest_ns=3 * SECOND)
    drain.begin(0)
    for tenth in range(30):
        drain.note(tenth * SECOND // 10)
        assert not drain.finished(tenth * SECOND // 10)
    assert drain.finished(3 * SECOND)


def test_draining_can_be_given_up() -> None:
    drain = Drain()
    drain.begin(0)
    drain.give_up()
    assert drain.finished(0)
