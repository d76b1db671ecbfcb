# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how soon real nodes add layers of protection on a link, and what that costs."""
