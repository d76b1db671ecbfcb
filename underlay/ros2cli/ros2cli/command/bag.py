# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 bag record | info | play."""

from __future__ import annotations

import argparse
import datetime
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rosbags.rosbag2 import ReaderError

from ..bag.bag_file import BagFile, RecordingError
from ..bag.player import Options, Player
from ..bag.recorder import Recorder, Selection
from ..bag.summary import format_summary, read_metadata
from ..cli import CommandError
from ..farewell import ended_after
from ..graph import ros_node

_FAREWELL_S = 3.0


def _positive(text: str) -> float:
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("value must be positive")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 bag`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    _add_record_arguments(verbs.add_parser("record", help="record topics to a bag"))
    verb = verbs.add_parser("info", help="print what is in a bag")
    verb.add_argument("bag_path", type=Path)
    verb.add_argument("-t", "--topic-name", action="store_true", help="print only the topics")
    verb.set_defaults(main=info)
    _add_play_arguments(verbs.add_parser("play", help="publish the messages in a bag"))


def _add_record_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("topics_positional", nargs="*", metavar="topic")
    verb.add_argument("--topics", nargs="+", default=[], metavar="topic")
    verb.add_argument("-a", "--all", action="store_true", help="record all topics")
    verb.add_argument("--all-topics", action="store_true", help="record all topics")
    verb.add_argument("-e", "--regex", default="", help="record the topics that match")
    verb.add_argument("--exclude-regex", default="", help="leave out the topics that match")
    verb.add_argument("--exclude-topics", nargs="+", default=[], metavar="topic")
    verb.add_argument("--include-hidden-topics", action="store_true")
    verb.add_argument("-o", "--output", type=Path, help="folder of the bag")
    verb.add_argument("-s", "--storage", choices=("mcap", "sqlite3"), default="mcap")
    verb.add_argument("-p", "--polling-interval", type=int, default=100, metavar="MS")
    verb.add_argument("--node-name", default="rosbag2_recorder")
    verb.set_defaults(main=record)


def _add_play_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("bag_path", type=Path)
    verb.add_argument("-r", "--rate", type=_positive, default=1.0, help="factor for the pace")
    verb.add_argument("-l", "--loop", action="store_true", help="play again and again")
    verb.add_argument("--topics", nargs="+", default=[], metavar="topic", help="only these")
    verb.add_argument("-e", "--regex", default="", help="only the topics that match")
    verb.add_argument("-x", "--exclude-regex", default="", help="leave out those that match")
    verb.add_argument("--exclude-topics", nargs="+", default=[], metavar="topic")
    verb.add_argument("-m", "--remap", nargs="+", default=[], metavar="OLD:=NEW")
    verb.add_argument(
        "--clock", type=_positive, nargs="?", const=40.0, default=0.0, help="publish /clock, in Hz"
    )
    verb.add_argument("-d", "--delay", type=float, default=0.0, help="seconds before playing")
    verb.add_argument("--start-offset", type=float, default=0.0, help="seconds to leave out")
    verb.add_argument("--disable-keyboard-controls", action="store_true", help="there are none")
    verb.set_defaults(main=play)


def record(args: argparse.Namespace) -> int:
    """Record until SIGINT or SIGTERM, or until the disk is full; the bag is complete then."""
    topics = {
        name if name.startswith("/") else f"/{name}"
        for name in [*args.topics_positional, *args.topics]
    }
    everything = args.all or args.all_topics
    if not (everything or topics or args.regex):
        raise CommandError("Need to specify at least one option out of --all, --topics or --regex")
    path = args.output or Path(datetime.datetime.now().strftime("rosbag2_%Y_%m_%d-%H_%M_%S"))
    path = path.absolute()  # a sentence about it names the folder that it is in
    selection = Selection(
        everything,
        topics,
        lambda topic: bool(args.regex and re.search(args.regex, topic)),
        _excluded(args),
        args.include_hidden_topics,
    )
    bag = BagFile(path, args.storage)
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: received.append(number))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = Node(args.node_name, start_parameter_services=False, enable_rosout=False)
        recorder = Recorder(node, bag, selection)
        node.get_logger().info(f"Recording to '{path}'")
        failure = _failure_of(recorder, bag, lambda: bool(received), args.polling_interval / 1000)
        node.get_logger().info(f"Recording stopped after {recorder.message_count} messages")
        if failure:
            print(failure, file=sys.stderr)
        code = 1 if failure else 0
        with ended_after(_FAREWELL_S, code):
            node.destroy_node()
    finally:
        rclpy.try_shutdown()
    return code


def _failure_of(
    recorder: Recorder, bag: BagFile, stopped: Callable[[], bool], interval: float
) -> str:
    """Record and complete the bag; return the failure, if there was one."""
    try:
        with bag:
            recorder.run(stopped, interval)
    except RecordingError as error:
        return str(error)
    return ""


def _excluded(args: argparse.Namespace):
    excluded = set(args.exclude_topics)
    return lambda topic: (
        topic in excluded or bool(args.exclude_regex and re.search(args.exclude_regex, topic))
    )


def info(args: argparse.Namespace) -> None:
    """Print the contents of a bag."""
    metadata = read_metadata(args.bag_path)
    if not args.topic_name:
        print(format_summary(args.bag_path, metadata))
        return
    for entry in metadata["topics_with_message_count"]:
        print(entry["topic_metadata"]["name"])


def play(args: argparse.Namespace) -> None:
    """Play a bag."""
    read_metadata(args.bag_path)
    for rule in args.remap:
        if ":=" not in rule:
            raise CommandError(f"malformed remapping '{rule}', expected 'old:=new'")
    topics, excluded = set(args.topics), _excluded(args)

    def wanted(topic: str) -> bool:
        if excluded(topic) or (args.clock and topic == "/clock"):
            return False
        if not topics and not args.regex:
            return True
        return topic in topics or bool(args.regex and re.search(args.regex, topic))

    options = Options(
        rate=args.rate,
        loop=args.loop,
        start_offset=args.start_offset,
        delay=args.delay,
        clock=args.clock,
        wanted=wanted,
        remap=dict(rule.split(":=", 1) for rule in args.remap),
    )
    try:
        with ros_node("_player") as node:
            Player(node, args.bag_path, options).run()
    except ReaderError as error:
        raise CommandError(f"Cannot read bag '{args.bag_path}': {error}") from error
    except KeyboardInterrupt:
        pass
