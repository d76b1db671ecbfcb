# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sections of the page, each a function from the context to a `Section`."""
