# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the policy's inputs from a recorded flight: a rosbag2 folder with MCAP or SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.rosbag2 import Reader, ReaderError
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
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.telemetry import NANOSECONDS, PARAMETERS, TOPICS, Telemetry, nanoseconds
from pqc_policy.replay.recorded_parameters import Values, values_in

# Time after a whole second in which a flight waits for messages stamped before it.
SETTLE_S = PolicySettings().settle_s
DECISION = "decision"


class RecordingFault(ValueError):
    """A recording that can't be used; the message is one sentence."""


def topic_name(namespace: str, topic: str) -> str:
    """Return the full name of a topic in a namespace."""
    parts = [part for part in namespace.split("/") if part]
    return "/" + "/".join([*parts, topic])


def read_recording(
    bag: Path, namespace: str = "pqc", settle_s: float = SETTLE_S
) -> Iterator[DecisionInput]:
    """Yield the inputs at every whole second from the bag's start to settle_s before its end.

    Raises RecordingFault.
    """
    with _Bag(bag, namespace) as recording:
        telemetry = Telemetry()
        settle_ns = round(settle_s * NANOSECONDS)
        at_ns = -(-recording.start_ns // NANOSECONDS) * NANOSECONDS
        for topic, received_ns, message in recording.messages(TOPICS):
            while at_ns + settle_ns < received_ns:
                yield telemetry.inputs(at_ns)
                at_ns += NANOSECONDS
            try:
                telemetry.take(topic, message)
            except AttributeError as fault:
                raise RecordingFault(
                    f"Topic {topic_name(namespace, topic)} of the bag {bag} has other fields than "
                    f"expected ({fault})."
                ) from fault
        while at_ns + settle_ns <= recording.end_ns:
            yield telemetry.inputs(at_ns)
            at_ns += NANOSECONDS


def read_decisions(bag: Path, namespace: str = "pqc") -> list[Any]:
    """Return the decisions recorded in a bag, as messages; an empty list without any."""
    with _Bag(bag, namespace) as recording:
        return [message for _, _, message in recording.messages((DECISION,))]


def read_parameters(bag: Path, namespace: str = "pqc") -> list[tuple[float, Values]]:
    """Return the policy's parameters as recorded, ordered by time; an empty list without any.

    Each entry has all values, and the time in s after which the flight decided by them.
    """
    with _Bag(bag, namespace) as recording:
        messages = [message for _, _, message in recording.messages((PARAMETERS,))]
    entries = [(nanoseconds(m.stamp) / NANOSECONDS, values_in(m)) for m in messages]
    return sorted(entries, key=lambda entry: entry[0])


def replay(policy: Policy, bag: Path, namespace: str = "pqc") -> list[Decision]:
    """Return the decisions of a policy over a recorded flight; raises RecordingFault."""
    return list(policy.replay(read_recording(bag, namespace)))


class _Bag:
    """An open bag; start_ns and end_ns are the times of reception of its first and last message."""

    def __init__(self, path: Path, namespace: str) -> None:
        self._path = path
        self._namespace = namespace
        if not path.exists():
            raise RecordingFault(f"There is no bag {path}.")
        if path.is_dir() and not (path / "metadata.yaml").exists():
            raise RecordingFault(f"{path} is no bag that can be read: it has no metadata.yaml.")
        try:
            self._reader = Reader(path)
            self._reader.open()
        except (ReaderError, OSError, UnicodeDecodeError) as fault:
            raise RecordingFault(f"{path} is no bag that can be read: {_reason(fault)}.") from fault

    def __enter__(self) -> _Bag:
        self._wanted(TOPICS)
        self.start_ns = self._reader.start_time
        self.end_ns = self._reader.end_time - 1  # the library returns one more
        return self

    def __exit__(self, *exception: object) -> None:
        self._reader.close()

    def _wanted(self, topics: tuple[str, ...]) -> dict[str, str]:
        """Return the wanted topics by their full names."""
        names = {topic_name(self._namespace, topic): topic for topic in topics}
        there = {connection.topic for connection in self._reader.connections}
        if topics is TOPICS and not there & names.keys():
            example = topic_name(self._namespace, TOPICS[0])
            found = ", ".join(sorted(there)) or "none at all"
            self._reader.close()
            raise RecordingFault(
                f"The bag {self._path} has no topic like {example}; its topics are: {found}."
            )
        return {name: topic for name, topic in names.items() if name in there}

    def messages(self, topics: tuple[str, ...]) -> Iterator[tuple[str, int, Any]]:
        """Yield topic, time of reception in ns and message, in the order of the times."""
        names = self._wanted(topics)
        connections = [c for c in self._reader.connections if c.topic in names]
        if not connections:
            return
        try:
            types = _types(connections)
            for connection, received_ns, data in self._reader.messages(connections):
                message = types.deserialize_cdr(data, connection.msgtype)
                yield names[connection.topic], received_ns, message
        except (ReaderError, SerdeError, TypesysError, KeyError, OSError) as fault:
            raise RecordingFault(f"The bag {self._path} is damaged: {_reason(fault)}.") from fault


def _types(connections: list[Connection]) -> Any:
    """Return a store of the connections' types: as the bag defines them, or as installed."""
    types: dict[str, Any] = {}
    installed = False
    for connection in connections:
        definition = connection.msgdef
        if not definition.data.strip():
            installed = True
        elif definition.format is MessageDefinitionFormat.MSG:
            types.update(get_types_from_msg(definition.data, connection.msgtype))
        else:
            for part in definition.data.split("=" * 80 + "\n"):
                text = part.split("\n", 1)[1] if part.startswith("IDL: ") else part
                if text.strip():
                    types.update(get_types_from_idl(text))
    store = get_typestore(Stores.ROS2_JAZZY if installed else Stores.EMPTY)
    if installed:
        types = _installed_types() | types
    store.register({n: t for n, t in types.items() if n not in store.fielddefs})
    return store


def _installed_types() -> dict[str, Any]:
    try:
        folder = Path(get_package_share_directory("pqc_msgs")) / "msg"
    except PackageNotFoundError as fault:
        raise RecordingFault(
            "The bag has no message definitions, and pqc_msgs is not installed."
        ) from fault
    types: dict[str, Any] = {}
    for file in sorted(folder.glob("*.msg")):
        text = file.read_text(encoding="utf-8")
        types.update(get_types_from_msg(text, f"pqc_msgs/msg/{file.stem}"))
    return types


def _reason(fault: Exception) -> str:
    """Return the text of an exception as part of a sentence."""
    text = " ".join(str(fault).split()).rstrip(".")
    return text or type(fault).__name__
