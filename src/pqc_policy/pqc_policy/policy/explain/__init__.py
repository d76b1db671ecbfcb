# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Puts decisions into words: the explanation, what comes next, and the log."""
