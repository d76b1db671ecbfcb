# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies rl and hybrid: a trained agent chooses what the rules leave open."""
