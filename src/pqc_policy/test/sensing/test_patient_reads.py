# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pqc_policy.sensing.computer.patient_reads import PatientReads


@pytest.fixture
def reads() -> Iterator[PatientReads]:
    patient = PatientReads(wait_s=0.02)
    yield patient
    patient.close()


def test_reads_that_answer_share_one_thread(reads: PatientReads) -> None:
    threads = {reads.run(name, threading.get_ident) for name in "abcabc"}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_the_error_of_a_read_is_that_of_the_call(reads: PatientReads) -> None:
    for error in (ValueError, TimeoutError):

        def fail(error: type[Exception] = error) -> None:
            raise error("of the device")

        with pytest.raises(error, match="of the device"):
            reads.run("a", fail)
    assert not reads.hangs("a")


def test_a_read_that_hangs_is_waited_for_once_and_stops_no_other(reads: PatientReads) -> None:
    go, begun = threading.Event(), []

    def hang() -> int:
        begun.append(True)
        go.wait()
        return 7

    assert [reads.run("slow", hang) for _ in range(3)] == [None] * 3
    assert reads.hangs("slow")
    assert len(begun) == 1
    assert reads.run("quick", lambda: 1) == 1
    go.set()
    while reads.hangs("slow"):
        pass
    assert reads.run("slow", lambda: 8) == 7
    assert reads.run("slow", lambda: 8) == 8
