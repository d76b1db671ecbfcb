# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_policy.nodes.doubles import Doubles

ONE = {"/pqc/status": 1, "/pqc/rekey": 1}
SECOND_SERVER = {"/pqc/status": 1, "/pqc/rekey": 2}


def test_a_second_server_that_stays_is_said_once() -> None:
    doubles = Doubles(patience_s=30.0)
    assert [doubles.take(SECOND_SERVER, float(at)) for at in range(31)] == [False] * 31
    assert doubles.take(SECOND_SERVER, 30.5)
    assert doubles.sentence.startswith("More than one node offers /pqc/rekey: a second tunnel")
    assert not doubles.take(SECOND_SERVER, 31.0)
    assert not doubles.take(ONE, 32.0)
    assert doubles.sentence == ""


def test_a_tunnel_that_was_restarted_is_no_second_one() -> None:
    doubles = Doubles(patience_s=30.0)
    for at in range(100):
        owners = SECOND_SERVER if at % 30 < 20 else ONE
        assert not doubles.take(owners, float(at))
    assert doubles.sentence == ""


def test_each_further_name_is_said() -> None:
    doubles = Doubles(patience_s=0.0)
    doubles.take(SECOND_SERVER, 0.0)
    assert doubles.take(SECOND_SERVER, 1.0)
    both = {"/pqc/status": 2, "/pqc/rekey": 3}
    doubles.take(both, 2.0)
    assert doubles.take(both, 3.0)
    assert "/pqc/rekey and /pqc/status" in doubles.sentence or (
        "/pqc/status and /pqc/rekey" in doubles.sentence
    )
