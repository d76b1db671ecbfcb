# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the policy decides from: battery, temperature, power, and how the link is used."""
