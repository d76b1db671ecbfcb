# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decides which cipher suite a drone uses, from the state of link, battery and computer."""
