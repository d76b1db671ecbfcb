# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command, which needs no installed package.

Its docstring is the help of the command, `configure` adds arguments, and `check`, where there is
one, rejects combinations that are impossible or have no effect.
"""
