# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command; its add_arguments(parser) sets the default `main` to run it."""
