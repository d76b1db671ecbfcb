# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The algorithms, which of them an end allows, and how keys follow from secrets."""
