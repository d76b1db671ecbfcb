# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions written as text: '$(var name)', '$(env NAME default)', '$(dirname)' and so on."""

from .parse_substitution import expose_substitution, parse_substitution

__all__ = ["expose_substitution", "parse_substitution"]
