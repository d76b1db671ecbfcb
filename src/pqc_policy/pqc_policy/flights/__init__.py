# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes recorded flights: a drone whose physics the sensing knows nothing of, and its policy."""
