# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the drone's side costs its computer: memory, threads, wake-ups, time."""
