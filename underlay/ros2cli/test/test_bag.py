# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of recording and playing bags."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from ros2cli.bag.definitions import message_definition, type_hash
from ros2cli.bag.qos_profiles import to_bag
from ros2cli.bag.recorder import Recorder
from ros2cli.bag.summary import file_size
from ros2cli.cli import main
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

PATIENCE_S = 60.0
START_NS = 1_700_000_000 * 10**9
# Recording times in s to try, since the load of the machine is unknown.
ATTEMPTS_S = (0.5, 2.0, 8.0)
MAIN = "import sys; from ros2cli.cli import main; sys.exit(main())"


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def new_bag(path: Path) -> Writer:
    return Writer(path, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.MCAP)


def start(*arguments: str, code: str = MAIN) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-u", "-c", code, *arguments], stderr=subprocess.PIPE, text=True
    )


def read_until(process: subprocess.Popen, *texts: str) -> None:
    missing = set(texts)
    for line in process.stderr:
        missing -= {text for text in missing if text in line}
        if not missing:
            return
    raise AssertionError(f"never read: {missing}")


def record_for(seconds: float, path: Path, number: signal.Signals, code: str = MAIN) -> None:
    """Record both topics of the partner for a moment; stop with the given signal."""
    process = start("bag", "record", "-o", str(path), "-e", "^/pqc/(chatter|status)$", code=code)
    try:
        read_until(process, "Subscribed to topic '/pqc/chatter'", "topic '/pqc/status'")
        time.sleep(seconds)  # the time in which messages arrive
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def record(folder: Path, number: signal.Signals) -> Path:
    """Record until the bag has the latched message and some of the others; return its path."""
    for seconds in ATTEMPTS_S:
        path = folder / f"recorded_for_{seconds}_s"
        record_for(seconds, path, number)
        with Reader(path) as reader:
            counts = {topic: info.msgcount for topic, info in reader.topics.items()}
        if counts.get("/pqc/chatter", 0) > 5 and counts.get("/pqc/status", 0) > 0:
            break
    return path


@pytest.fixture(scope="session")
def bag(partner, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bags")
    return record(folder, signal.SIGTERM)


def contents(path: Path) -> dict[str, list[str]]:
    """Return the texts in a bag by topic, read with the definitions in the bag itself."""
    store = get_typestore(Stores.EMPTY)
    texts: dict[str, list[str]] = {}
    with Reader(path) as reader:
        for connection in reader.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
            assert store.hash_rihs01(connection.msgtype) == connection.digest
        for connection, _, data in reader.messages():
            message = store.deserialize_cdr(data, connection.msgtype)
            texts.setdefault(connection.topic, []).append(message.data)
    return texts


def test_a_bag_holds_the_messages_in_order_and_those_published_before(bag):
    texts = contents(bag)
    assert texts["/pqc/status"] == ["ready"]
    numbers = [int(text.split()[1]) for text in texts["/pqc/chatter"]]
    assert len(numbers) > 5
    assert numbers == sorted(numbers)


def test_messages_sent_before_the_end_are_in_the_bag(tmp_path):
    rclpy.init()
    nodes = [
        rclpy.create_node(name, start_parameter_services=False) for name in ("talker", "recorder")
    ]
    publisher = nodes[0].create_publisher(String, "/pqc/burst", QoSProfile(depth=200))
    expected = [str(number) for number in range(200)]

    def stopped() -> bool:
        if publisher.get_subscription_count() == 0:
            return False
        for text in expected:
            publisher.publish(String(data=text))
        return True  # so the recorder has had no time to take any of them

    try:
        with new_bag(tmp_path / "bag") as bag:
            Recorder(nodes[1], bag, "^/pqc/burst$").run(stopped)
    finally:
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown()
    assert contents(tmp_path / "bag") == {"/pqc/burst": expected}


CANNOT_LEAVE = """
import ctypes, sys
from rclpy.node import Node
from ros2cli.cli import main
from ros2cli.command import bag

bag._FAREWELL_S = 0.5
# Holds the interpreter's lock, as Fast DDS does.
Node.destroy_node = lambda self: ctypes.PyDLL(None).sleep(1000)
sys.exit(main())
"""


def test_recording_ends_with_a_complete_bag_even_if_leaving_the_graph_hangs(partner, tmp_path):
    record_for(0.0, tmp_path / "bag", signal.SIGINT, code=CANNOT_LEAVE)
    with Reader(tmp_path / "bag") as reader:
        assert set(reader.topics) == {"/pqc/chatter", "/pqc/status"}


def test_info_prints_files_times_and_topics(bag, ros2):
    lines = ros2("bag", "info", str(bag)).splitlines()
    count = len(contents(bag)["/pqc/chatter"])
    assert "Storage id:        mcap" in lines
    assert f"Messages:          {count + 1}" in lines
    assert any(
        f"Topic: /pqc/chatter | Type: std_msgs/msg/String | Count: {count} | "
        "Serialization Format: cdr" in line
        for line in lines
    )


def test_a_folder_that_exists_is_not_overwritten(bag):
    assert main(["bag", "record", "-e", ".", "-o", str(bag)]) == (
        f"Output folder '{bag}' already exists."
    )


def test_a_folder_that_is_not_a_bag_is_reported(tmp_path):
    assert main(["bag", "info", str(tmp_path / "none")]).endswith("does not exist!")
    assert "is not a complete bag" in main(["bag", "play", str(tmp_path)])


@contextmanager
def listener(*topics: tuple[str, type, QoSProfile]) -> Iterator[tuple]:
    """Yield a list of what arrives for each topic, and a function that waits for a condition."""
    rclpy.init()
    node = rclpy.create_node("listener", start_parameter_services=False)
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    received: list[list] = [[] for _ in topics]
    for (topic, kind, profile), messages in zip(topics, received, strict=True):
        node.create_subscription(kind, topic, messages.append, profile)

    def spin_until(condition: Callable[[], bool]) -> None:
        def step() -> bool:
            executor.spin_once(timeout_sec=0.05)
            return condition()

        wait_for(step)

    try:
        yield received, spin_until
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()


@contextmanager
def played(*arguments: str) -> Iterator[subprocess.Popen]:
    process = start("bag", "play", *arguments)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture(scope="session")
def tale(tmp_path_factory) -> Path:
    """Make a bag of a latched message and of numbered ones, which no node publishes."""
    path = tmp_path_factory.mktemp("tale") / "bag"
    kind = "std_msgs/msg/String"
    profiles = {
        "/tale/title": QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
        "/tale/line": QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT),
    }
    with new_bag(path) as bag:
        definition = {"msgdef": message_definition(kind), "rihs01": type_hash(kind)}
        title, line = (
            bag.add_connection(topic, kind, offered_qos_profiles=[to_bag(profile)], **definition)
            for topic, profile in profiles.items()
        )
        bag.write(title, START_NS, serialize_message(String(data="ready")))
        for number in range(50):
            at_ns = START_NS + number * 20_000_000
            bag.write(line, at_ns, serialize_message(String(data=str(number))))
    return path


def test_playing_gives_the_messages_in_their_order_and_the_time_of_the_recording(tale):
    profile = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
    with (
        listener(("/tale/line", String, profile), ("/clock", Clock, QoSProfile(depth=100))) as ears,
        played(str(tale), "--clock", "50", "--delay", "1") as process,
    ):
        (lines, times), spin_until = ears
        spin_until(lambda: bool(lines) and lines[-1].data == "49")
        assert process.wait(PATIENCE_S) == 0  # it ends with the bag
    # The player does not wait for subscriptions, and a busy machine connects late.
    first = int(lines[0].data)
    assert [message.data for message in lines] == [str(number) for number in range(first, 50)]
    assert times
    stamps = [item.clock.sec * 10**9 + item.clock.nanosec for item in times]
    # To the microsecond, since the clock is computed in floating-point numbers.
    assert all(START_NS - 1_100_000_000 <= stamp <= START_NS + 981_000_000 for stamp in stamps)
    assert stamps == sorted(stamps)


def test_playing_keeps_latched_messages_for_late_subscribers(tale):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    with (
        played(str(tale), "--rate", "0.05"),
        listener(("/tale/title", String, latched)) as ((received,), spin_until),
    ):
        spin_until(lambda: bool(received))
        assert received[0].data == "ready"


def test_a_definition_contains_all_parts():
    text = message_definition("diagnostic_msgs/msg/DiagnosticArray")
    assert text.count("=" * 80) == 4
    assert "\nMSG: diagnostic_msgs/KeyValue\n" in text
    assert type_hash("std_msgs/msg/String").startswith("RIHS01_")


def test_sizes_have_units():
    assert [file_size(size) for size in (5, 2048, 3 * 2**20)] == ["5 B", "2.0 KiB", "3.0 MiB"]
