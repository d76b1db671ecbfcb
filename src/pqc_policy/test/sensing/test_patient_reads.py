# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from pqc_policy.sensing.computer.patient_reads import PatientReads
from ros_graph import PATIENCE_S

NUMBERS = count()


@pytest.fixture
def reads() -> Iterator[PatientReads]:
    patient = PatientReads(wait_s=0.02)
    yield patient
    patient.close()


def end_reads(reads: PatientReads) -> None:
    """Wait for the reads that were begun, except those that hang."""
    last = f"read {next(NUMBERS)}"
    while reads.take(last) is None:
        reads.begin(last, lambda: True)


def run(reads: PatientReads, name: str, read: Any) -> Any:
    reads.begin(name, read)
    end_reads(reads)
    return reads.take(name)


def test_reads_that_answer_share_one_thread() -> None:
    reads = PatientReads(wait_s=PATIENCE_S)
    threads = {run(reads, name, threading.get_ident) for name in "abcabc"}
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    reads.close()


def test_the_error_of_a_read_is_that_of_the_next_call(reads: PatientReads) -> None:
    for error in (ValueError, TimeoutError):

        def fail(error: type[Exception] = error) -> None:
            raise error("of the device")

        with pytest.raises(error, match="of the device"):
            while True:
                reads.begin("a", fail)
    end_reads(reads)
    assert not reads.hangs("a")


def test_a_read_that_hangs_is_not_repeated_and_stops_no_other(reads: PatientReads) -> None:
    go, begun = threading.Event(), []

    def hang() -> int:
        begun.append(True)
        go.wait()
        return 7

    reads.begin("slow", hang)
    while not reads.hangs("slow"):
        pass
    reads.begin("slow", hang)
    assert reads.take("slow") is None
    assert run(reads, "quick", lambda: 1) == 1
    assert len(begun) == 1
    go.set()
    while reads.hangs("slow"):
        pass
    assert reads.take("slow") == 7
    assert run(reads, "slow", lambda: 8) == 8
    assert reads.take("slow") is None
