# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a node until it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from pqc_policy.nodes.exit_deadline import exit_within
from pqc_policy.nodes.interruption import exit_on_sigint, leave_sigint_to_rclpy
from pqc_policy.nodes.standard_streams import open_standard_streams
from pqc_policy.parameters import ParameterFault

_EXIT_WITHIN_S = 3.0


def run(make: Callable[[], Node], arguments: Sequence[str] | None = None) -> int:
    """Make a node and spin it.

    Returns the exit code: 0 after SIGINT or SIGTERM, 1 and a sentence on stderr for parameters
    that can't be used.
    """
    open_standard_streams()
    exit_on_sigint()
    rclpy.init(args=arguments)
    leave_sigint_to_rclpy()
    node, code = None, 1
    try:
        node = make()
        # rclpy detects a signal that arrives just before a wait for events only at the next event.
        # While the ROS clock stands still, this timer is the only event.
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
        # Fast DDS 3.2 can deadlock when two participants shut down at the same moment.
        with exit_within(_EXIT_WITHIN_S, code):
            if node is not None:
                node.destroy_node()
            rclpy.try_shutdown()
    return code
