# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A cell whose ends are two computers: one program at each end records, and is collected later.

What runs at an end (end_*.py, half_load.py, fixed_clock.py, traffic_log.py) needs nothing there but
Python's standard library and what far_end.py copies; a detector needs numpy, too.
"""
