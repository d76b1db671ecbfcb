# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled traffic for training and, from other models with other parameters, for judging."""
