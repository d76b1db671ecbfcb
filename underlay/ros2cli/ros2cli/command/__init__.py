# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One module per command; each has add_arguments(parser) and sets `main` for what it does."""
