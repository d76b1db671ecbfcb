# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 bag record | info | play."""

from __future__ import annotations

import argparse
import datetime
import signal
from pathlib import Path

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rosbags.rosbag2 import ReaderError, StoragePlugin, Writer

from ..bag.player import Options, Player
from ..bag.recorder import Recorder
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
    verb = verbs.add_parser("record", help="record topics to a bag")
    verb.add_argument("-e", "--regex", required=True, help="record the topics that match")
    verb.add_argument("-o", "--output", type=Path, help="folder of the bag")
    verb.add_argument("-s", "--storage", choices=("mcap",), default="mcap")
    verb.set_defaults(main=record)
    verb = verbs.add_parser("info", help="print what is in a bag")
    verb.add_argument("bag_path", type=Path)
    verb.set_defaults(main=info)
    verb = verbs.add_parser("play", help="publish the messages in a bag")
    verb.add_argument("bag_path", type=Path)
    verb.add_argument("-r", "--rate", type=_positive, default=1.0, help="factor for the pace")
    verb.add_argument(
        "--clock", type=_positive, nargs="?", const=40.0, default=0.0, help="publish /clock, in Hz"
    )
    verb.add_argument("-d", "--delay", type=float, default=0.0, help="seconds before playing")
    verb.set_defaults(main=play)


def record(args: argparse.Namespace) -> None:
    """Record until SIGINT or SIGTERM; the bag is complete then."""
    path = args.output or Path(datetime.datetime.now().strftime("rosbag2_%Y_%m_%d-%H_%M_%S"))
    path = path.absolute()  # a sentence about it names the folder that it is in
    if path.exists():
        raise CommandError(f"Output folder '{path}' already exists.")
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: received.append(number))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = Node("rosbag2_recorder", start_parameter_services=False, enable_rosout=False)
        node.get_logger().info(f"Recording to '{path}'")
        plugin = StoragePlugin[args.storage.upper()]
        with Writer(path, version=Writer.VERSION_LATEST, storage_plugin=plugin) as bag:
            recorder = Recorder(node, bag, args.regex)
            recorder.run(lambda: bool(received))
        node.get_logger().info(f"Recording stopped after {recorder.message_count} messages")
        with ended_after(_FAREWELL_S):
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


def info(args: argparse.Namespace) -> None:
    print(format_summary(args.bag_path, read_metadata(args.bag_path)))


def play(args: argparse.Namespace) -> None:
    read_metadata(args.bag_path)
    options = Options(rate=args.rate, delay=args.delay, clock=args.clock)
    try:
        with ros_node("_player") as node:
            Player(node, args.bag_path, options).run()
    except ReaderError as error:
        raise CommandError(f"Cannot read bag '{args.bag_path}': {error}") from error
    except KeyboardInterrupt:
        pass
