# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What programs of the lab share: arguments, signals, children, summary files, faults."""
