# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs nodes in this process until they are stopped."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.utilities import remove_ros_args

from pqc_policy.nodes import parameter_files
from pqc_policy.nodes.process.exit_deadline import exit_within
from pqc_policy.nodes.process.interruption import exit_on_sigint, leave_sigint_to_rclpy
from pqc_policy.nodes.process.pulse import Pulse
from pqc_policy.nodes.process.shown_log import show_log
from pqc_policy.nodes.process.standard_streams import open_standard_streams
from pqc_policy.nodes.process.steady_node import SteadyNode
from pqc_policy.parameters import ParameterFault, Unavailable
from pqc_policy.shown_text import shown, shown_streams

_EXIT_WITHIN_S = 3.0
_WRONG_USAGE = 2
# The text of rcl, with places in its source code.
_RCL_TEXT = re.compile(
    r".*?Couldn't parse (.+?: '.+?')\. Error: (.+?)(?:\\n)?(?:, at .*)?", re.DOTALL
)


@shown_streams()
def run(*makes: Callable[[], SteadyNode], arguments: Sequence[str] | None = None) -> int:
    """Make nodes and spin them in one thread.

    Returns the exit code: 0 after SIGINT or SIGTERM; with a sentence on stderr, 2 for arguments and
    parameters that can't be used, where a restart would change nothing, and 1 for what may pass. An
    exception of one node ends all of them, so that whoever respawns the process restarts them.
    """
    open_standard_streams()
    exit_on_sigint()
    fault = _initialized(arguments)
    if fault:
        print(fault, file=sys.stderr)
        return _WRONG_USAGE
    leave_sigint_to_rclpy()
    nodes: list[SteadyNode] = []
    code = 1
    try:
        for make in makes:
            nodes.append(make())
        Pulse(nodes).run()
        code = 0
    except ParameterFault as fault:
        code = 1 if isinstance(fault, Unavailable) else _WRONG_USAGE
        with suppress(OSError):  # nobody may read it
            print(parameter_files.located(fault), file=sys.stderr)
    except ExternalShutdownException:
        code = 0
    except Exception:
        if rclpy.ok():
            raise
        code = 0
    finally:
        # Fast DDS 3.2 can deadlock when two participants shut down at the same moment.
        with exit_within(_EXIT_WITHIN_S, code):
            for node in nodes:
                node.destroy_node()
            rclpy.try_shutdown()
    return code


def _initialized(arguments: Sequence[str] | None) -> str:
    """Initialize rclpy; return what is wrong with the arguments, as a sentence."""
    words = list(sys.argv if arguments is None else arguments)
    try:
        parameter_files.read_given(words)
        others = remove_ros_args(words)[1:]  # reads the files
        if others:
            return (
                f"The argument {shown(others[0])} is unknown; "
                "parameters are given with --ros-args -p NAME:=VALUE or --params-file FILE."
            )
        rclpy.init(args=arguments)
        show_log()
    except ParameterFault as fault:
        return str(fault)
    except RuntimeError as fault:  # RCLError, or UnknownROSArgsError with a list
        text = str(fault).strip("[]")
        found = _RCL_TEXT.fullmatch(text)
        why = f"{found[1]}: {found[2]}" if found is not None else text
        return f"The ROS arguments can't be used: {shown(' '.join(why.split())).rstrip('.')}."
    return ""
