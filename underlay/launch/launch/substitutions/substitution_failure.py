# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The error of a substitution that has no value."""


class SubstitutionFailure(RuntimeError):
    """Raised by perform()."""
