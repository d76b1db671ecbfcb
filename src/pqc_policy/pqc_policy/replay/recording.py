# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the policy's inputs from a recorded flight: a rosbag2 folder with MCAP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rosbags.interfaces import MessageDefinitionFormat
from rosbags.serde import SerdeError
from rosbags.typesys import (
    Stores,
    TypesysError,
    get_types_from_idl,
    get_types_from_msg,
    get_typestore,
)

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.flight_time import FlightTime
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.schedule import Schedule
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.telemetry import NANOSECONDS, PARAMETERS, TOPICS, Telemetry, nanoseconds
from pqc_policy.replay.bag_files import BagFault, BagFiles, Topic
from pqc_policy.replay.recorded_parameters import Values, values_in
from pqc_policy.shown_text import Fault

# Time after a whole second in which a flight waits for messages stamped before it.
SETTLE_S = PolicySettings().settle_s
DECISION = "decision"


class RecordingFault(Fault):
    """A recording that can't be used; the message is one sentence."""


def topic_name(namespace: str, topic: str) -> str:
    parts = [part for part in namespace.split("/") if part]
    return "/" + "/".join([*parts, topic])


def read_recording(
    bag: Path, namespace: str = "pqc", settle_s: float = SETTLE_S
) -> Iterator[DecisionInput]:
    """Yield the inputs at every whole second from the bag's start to settle_s before its end.

    Raises RecordingFault.
    """
    return Recording(bag, namespace).inputs(settle_s)


def replay(policy: Policy, bag: Path, namespace: str = "pqc") -> list[Decision]:
    """Return the decisions of a policy over a recorded flight; raises RecordingFault."""
    return list(policy.replay(read_recording(bag, namespace)))


class Recording:
    """A recorded flight; all its times are those of a FlightTime."""

    def __init__(self, bag: Path, namespace: str = "pqc") -> None:
        """Raise RecordingFault for a bag without anything to decide by."""
        self._bag = bag
        self._names = {
            topic_name(namespace, topic): topic for topic in (*TOPICS, DECISION, PARAMETERS)
        }
        if not bag.exists():
            raise RecordingFault(f"There is no bag {bag}.")
        try:
            files = BagFiles(bag)
            topics = {topic for topic, _, _ in files.messages()}
            if not topics and files.damage:
                raise BagFault("it has no message that is whole")
        except (BagFault, OSError) as fault:
            raise RecordingFault(f"{bag} is no bag that can be read: {_reason(fault)}.") from fault
        self.damage = tuple(files.damage)
        self._files = files
        if not any(self._names.get(topic.name) in TOPICS for topic in topics):
            example = topic_name(namespace, TOPICS[0])
            found = ", ".join(sorted(topic.name for topic in topics)) or "none at all"
            cut = "".join(f" {sentence}" for sentence in self.damage)
            raise RecordingFault(
                f"The bag {bag} has no topic like {example}; its topics are: {found}.{cut}"
            )
        try:
            self._store = _types(topic for topic in topics if topic.name in self._names)
        except (TypesysError, KeyError) as fault:
            raise RecordingFault(f"The bag {bag} is damaged: {_reason(fault)}.") from fault

    def inputs(self, settle_s: float = SETTLE_S) -> Iterator[DecisionInput]:
        """Yield the inputs at every whole second from its start to settle_s before its end."""
        time = FlightTime()
        telemetry, schedule = Telemetry(time.of_stamp), Schedule()
        settle_ns = round(settle_s * NANOSECONDS)
        for topic, message in self._messages(time):
            assert time.now_ns is not None
            # A message received at the moment of a decision still counts.
            for at_ns in schedule.due(time.now_ns, settle_ns + 1):
                yield telemetry.inputs(at_ns)
            if topic not in TOPICS:
                continue
            try:
                telemetry.take(topic, message())
            except AttributeError as fault:
                raise RecordingFault(
                    f"The topic {topic} of the bag {self._bag} has other fields than expected "
                    f"({fault})."
                ) from fault
        assert time.now_ns is not None
        for at_ns in schedule.due(time.now_ns, settle_ns):
            yield telemetry.inputs(at_ns)

    def decisions(self) -> list[tuple[float, Any]]:
        """Return the decisions of the flight as messages, each with its second of the flight."""
        return [(float(round(at_s)), one) for at_s, one in self._stamped(DECISION)]

    def parameters(self) -> list[tuple[float, Values]]:
        """Return the policy's parameters in the flight, ordered by time; empty without any.

        Each entry has all values, and the time in s after which the flight decided by them.
        """
        entries = [(at_s, values_in(one)) for at_s, one in self._stamped(PARAMETERS)]
        return sorted(entries, key=lambda entry: entry[0])

    def _stamped(self, wanted: str) -> Iterator[tuple[float, Any]]:
        """Yield the messages of a topic with the times of their stamps, in s."""
        time = FlightTime()
        for topic, message in self._messages(time):
            if topic == wanted and (one := message()) is not None:
                at_ns = time.of_stamp(nanoseconds(one.stamp))
                if at_ns is not None:
                    yield at_ns / NANOSECONDS, one

    def _messages(self, time: FlightTime) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield what each message is and how to read it, at the time that it was received."""
        for topic, received_ns, data in self._files.messages():
            time.advance(received_ns)
            yield self._names.get(topic.name, ""), partial(self._read, topic.kind, data)

    def _read(self, kind: str, data: bytes) -> Any:
        try:
            return self._store.deserialize_cdr(data, kind)
        except (SerdeError, TypesysError, KeyError) as fault:
            raise RecordingFault(f"The bag {self._bag} is damaged: {_reason(fault)}.") from fault


def _types(topics: Iterable[Topic]) -> Any:
    """Return a store of the topics' types, as the bag defines them."""
    types: dict[str, Any] = {}
    for topic in topics:
        definition = topic.definition
        if definition.format is MessageDefinitionFormat.MSG:
            types.update(get_types_from_msg(definition.data, topic.kind))
        else:
            for part in definition.data.split("=" * 80 + "\n"):
                text = part.split("\n", 1)[1] if part.startswith("IDL: ") else part
                if text.strip():
                    types.update(get_types_from_idl(text))
    store = get_typestore(Stores.EMPTY)
    store.register({n: t for n, t in types.items() if n not in store.fielddefs})
    return store


def _reason(fault: Exception) -> str:
    """Return the text of an exception as part of a sentence."""
    text = " ".join(str(fault).split()).rstrip(".")
    return text or type(fault).__name__
