# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an argument that takes substitutions accepts."""

from collections.abc import Iterable
from typing import Union

from .substitution import Substitution

SomeSubstitutionsType = Union[str, Substitution, Iterable[Union[str, Substitution]]]  # noqa: UP007
SomeSubstitutionsType_types_tuple = (str, Substitution, Iterable)
