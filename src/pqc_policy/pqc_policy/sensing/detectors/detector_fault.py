# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The error of a detector that can't be used."""

from pqc_policy.shown_text import Fault


class DetectorFault(Fault):
    """A detector that can't be used; the message is one sentence."""
