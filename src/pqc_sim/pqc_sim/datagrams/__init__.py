# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Datagrams of MAVLink: sent, received, split into frames, counted and compared."""
