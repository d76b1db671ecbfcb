# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps libraries from loading what no node uses."""

from __future__ import annotations

import os
import sys


def leave_out() -> None:
    """Do so from now on; rclpy must not be imported yet.

    The first message of rclpy loads the generator of messages with its parser, if that is installed
    (rosidl_generator_py): 17 MiB. OpenBLAS, of numpy, starts a thread for each core.
    """
    sys.modules.setdefault("rosidl_generator_py.generate_py_impl", None)  # type: ignore[arg-type]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
