# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of lab programs: arguments, signals, child processes, summary files, errors."""
