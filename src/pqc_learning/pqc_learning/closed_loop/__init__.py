# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights in a closed loop, thousands of times faster than real time, for comparing strategies.

Policy, advisor and battery monitor are those that fly. Everything random about a flight (air, wind,
noise, control messages, adversary) is drawn before it from generators of its own, so that all
strategies meet the same flight. docs/policy-evaluation.md describes model and distribution.
"""
