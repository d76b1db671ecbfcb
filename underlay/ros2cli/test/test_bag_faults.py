# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of recording on a disk that is full, fails or is absent."""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import rclpy
from ros2cli.bag import bag_file
from ros2cli.bag.bag_file import RESERVE_BYTES, BagFile, RecordingError, free_bytes
from ros2cli.bag.definitions import message_definition, type_hash
from ros2cli.cli import main
from rosbags.rosbag2 import Reader
from std_msgs.msg import String

PATIENCE_S = 60.0
STORAGES = ("mcap", "sqlite3")
MESSAGE = bytes(100_000)
MAIN = "import sys; from ros2cli.cli import main; sys.exit(main())"
# Runs the command with a disk in its own mount namespace; copies the bag out of it.
ON_A_TINY_DISK = """
mount -t tmpfs -o size=20m none "$1" || exit 99
tiny=$1 copy=$2
shift 2
"$@"
code=$?
cp -r "$tiny/bag" "$copy"
exit $code
"""


def add_topic(bag: BagFile) -> Callable[[], None]:
    """Add a topic to a bag; return a function that writes a message of it."""
    kind = "std_msgs/msg/String"
    connection = bag.add_connection(
        "/big", kind, msgdef=message_definition(kind), rihs01=type_hash(kind)
    )
    return lambda: bag.write(connection, 1, MESSAGE)


def messages(path: Path) -> int:
    with Reader(path) as reader:
        return reader.message_count


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Limit the files of this process to a size in bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_recording_ends_while_there_is_room_to_complete_it(monkeypatch, tmp_path, storage):
    path = tmp_path / "bag"
    monkeypatch.setattr(bag_file, "_CHECK_S", 0.0)
    with pytest.raises(RecordingError) as caught, BagFile(path, storage) as bag:
        write = add_topic(bag)
        write()
        bag.check_room()
        monkeypatch.setattr(bag_file, "free_bytes", lambda folder: RESERVE_BYTES - 1)
        bag.check_room()
    assert str(caught.value) == (
        f"The recording has ended, because only 16.0 MiB are free at '{path}': "
        "the bag holds what came before."
    )
    assert messages(path) == 1


def test_no_recording_starts_without_room(monkeypatch, tmp_path):
    monkeypatch.setattr(bag_file, "free_bytes", lambda folder: 3 << 20)
    path = tmp_path / "a" / "bag"
    assert main(["bag", "record", "-a", "-o", str(path)]) == (
        f"Only 3.0 MiB are free at '{tmp_path}': a recording needs more than 16.0 MiB."
    )
    assert not path.parent.exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_failed_write_ends_the_recording_at_once(tmp_path, storage):
    path = tmp_path / "bag"
    with (
        pytest.raises(RecordingError) as caught,
        BagFile(path, storage) as bag,
        files_limited_to(200_000),
    ):
        write = add_topic(bag)
        for _ in range(100):
            write()
    text = str(caught.value)
    assert text.startswith(f"Cannot write the bag '{path}': ")
    assert text.endswith(". It is not complete.")
    assert not (path / "metadata.yaml").exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_bag_that_cannot_be_completed_is_reported(tmp_path, storage):
    path = tmp_path / "bag"
    bag = BagFile(path, storage)
    write = add_topic(bag)
    write()
    with files_limited_to(50_000), pytest.raises(RecordingError) as caught:
        bag.close()
    assert str(caught.value).startswith(f"Cannot complete the bag '{path}': ")
    assert not (path / "metadata.yaml").exists()


@pytest.mark.parametrize(
    ("folder", "reason"),
    [("/proc/nowhere", "No such file or directory"), ("/dev/null", "Not a directory")],
)
def test_an_output_folder_that_cannot_be_created_is_reported(folder, reason):
    assert main(["bag", "record", "-a", "-o", f"{folder}/bag"]) == (
        f"Cannot create the output folder '{folder}/bag': {reason}."
    )


def test_a_removed_folder_ends_the_recording(tmp_path):
    bag = BagFile(tmp_path / "bag", "mcap")
    (tmp_path / "bag").rename(tmp_path / "elsewhere")
    with pytest.raises(RecordingError, match="No such file or directory"):
        bag.check_room()
    bag.close()


def test_a_disk_of_unknown_size_counts_as_never_full():
    assert free_bytes(Path("/proc")) == math.inf


CANNOT_LEAVE = """
import ctypes
from ros2cli.farewell import ended_after

with ended_after(0.1, 1):
    ctypes.PyDLL(None).sleep(1000)
"""


def test_a_failed_recording_has_its_exit_code_even_if_leaving_the_graph_hangs():
    ended = subprocess.run([sys.executable, "-c", CANNOT_LEAVE], timeout=PATIENCE_S, check=False)
    assert ended.returncode == 1


def in_mount_namespace() -> list[str]:
    """Return the prefix that runs a command where it may mount; skip the test if none works."""
    for options in (["--mount"], ["--user", "--map-root-user", "--mount"]):
        command = ["unshare", *options]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("this needs the right to mount")


def test_a_full_disk_leaves_a_complete_bag_one_sentence_and_an_exit_code(tmp_path):
    tiny, copy = tmp_path / "tiny", tmp_path / "copy"
    tiny.mkdir()
    shell = ["sh", "-c", ON_A_TINY_DISK, "sh", str(tiny), str(copy)]
    record = [sys.executable, "-u", "-c", MAIN, "bag", "record", "-o", str(tiny / "bag"), "/big"]
    rclpy.init()
    node = rclpy.create_node("talker", start_parameter_services=False)
    publisher = node.create_publisher(String, "/big", 10)
    with subprocess.Popen(
        [*in_mount_namespace(), *shell, *record], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            end = time.monotonic() + PATIENCE_S
            while process.poll() is None:
                assert time.monotonic() < end, "the disk never filled up"
                publisher.publish(String(data="#" * len(MESSAGE)))
                time.sleep(0.01)  # the rate of the messages
        finally:
            process.kill()
            node.destroy_node()
            rclpy.shutdown()
        lines = process.stderr.read().splitlines()
    assert process.returncode == 1, lines
    (sentence,) = [line for line in lines if not line.startswith("[")]
    assert sentence.startswith("The recording has ended, because only 1")
    assert sentence.endswith(f" MiB are free at '{tiny / 'bag'}': the bag holds what came before.")
    assert messages(copy) > 0
