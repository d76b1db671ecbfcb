# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command: the docstring is its help, `configure` adds arguments, `run` runs it."""
