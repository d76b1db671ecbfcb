# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command: its docstring is the help, `configure` adds arguments, `run` does it."""
