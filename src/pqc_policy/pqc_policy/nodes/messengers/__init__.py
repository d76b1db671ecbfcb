# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes that send and read the messages between the programs of a drone and the ground."""
