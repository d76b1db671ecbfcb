# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a node until it is stopped."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from pqc_policy.nodes.farewell import ending_within
from pqc_policy.nodes.streams import open_standard_streams
from pqc_policy.parameters import ParameterFault

_FAREWELL_S = 3.0


def run(make: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """Make a node and spin it; 0 after SIGINT or SIGTERM, 1 and a sentence if it can't start."""
    open_standard_streams()
    # At a signal rclpy ends spinning by itself; an exception amid a callback would only disturb it.
    signal.signal(signal.SIGINT, lambda *_: None)
    rclpy.init(args=arguments)
    node, code = None, 1
    try:
        node = make()
        # A signal that comes just before rclpy waits for events is noticed at the next event: while
        # the ROS clock stands still there may be none.
        node.create_timer(1.0, lambda: None, clock=Clock(clock_type=ClockType.STEADY_TIME))
        rclpy.spin(node)
        code = 0
    except ParameterFault as fault:
        print(fault, file=sys.stderr)
    except ExternalShutdownException:
        code = 0
    except Exception:
        if rclpy.ok():
            raise
        code = 0
    finally:
        # Fast DDS 3.2 can wait for itself for ever when two participants leave at the same moment.
        with ending_within(_FAREWELL_S, code):
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
    return code
