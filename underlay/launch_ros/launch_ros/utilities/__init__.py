# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Namespaces, remappings and parameters in their normal forms."""

from .namespaces import (
    is_namespace_absolute,
    is_root_namespace,
    make_namespace_absolute,
    prefix_namespace,
)
from .parameters import evaluate_parameter_dict, normalize_parameter_dict, normalize_parameters

__all__ = [
    "evaluate_parameter_dict",
    "is_namespace_absolute",
    "is_root_namespace",
    "make_namespace_absolute",
    "normalize_parameter_dict",
    "normalize_parameters",
    "prefix_namespace",
]
