# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone's and a ground station's tunnel on one machine: ports, keys, parameters, link, launch."""
