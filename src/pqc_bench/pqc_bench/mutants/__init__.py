# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the tunnel's core: which changes of one comparison does no test notice?"""
