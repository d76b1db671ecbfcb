# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of the policy: battery, temperature, power and the advisor's verdict on the link."""
