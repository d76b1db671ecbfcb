# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Joining namespaces."""

from __future__ import annotations


def is_root_namespace(ns: str) -> bool:
    """Return whether this is the root."""
    return ns == "/"


def is_namespace_absolute(ns: str) -> bool:
    """Return whether the namespace begins at the root."""
    return ns.startswith("/")


def make_namespace_absolute(ns: str | None) -> str | None:
    """Return the namespace with a leading slash."""
    return ns if ns is None or is_namespace_absolute(ns) else f"/{ns}"


def prefix_namespace(base_ns: str | None, ns: str | None) -> str | None:
    """Return ns within base_ns; an absolute ns stays as it is."""
    if ns is None:
        combined = base_ns
    elif not base_ns or is_namespace_absolute(ns):
        combined = ns
    else:
        combined = f"{base_ns.rstrip('/')}/{ns}"
    if combined is None or is_root_namespace(combined):
        return combined
    return combined.rstrip("/")
