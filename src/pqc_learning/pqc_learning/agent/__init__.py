# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Training of the agent that flies in the strategies rl and hybrid."""
