# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command, which is imported to run it; `options` describes it."""
