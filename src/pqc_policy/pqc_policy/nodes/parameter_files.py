# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter files that this process was given: what of them is for its node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rclpy.node import Node

from pqc_policy.named_files import MOST_YAML_BYTES, FileFault, from_yaml, read_text
from pqc_policy.parameter_sections import Section, sections
from pqc_policy.parameters import ParameterFault

# Nodes that often share one file. A file for one of them need not have a section for each.
_SHARING = ("advisor", "policy", "sensing")
# Launch writes the values that its launch file sets into files of such names.
_OF_LAUNCH = "launch_params_"

_given: list[tuple[str, list[Section]]] = []  # of each file
_of_node: list[tuple[str, Section]] = []  # with the file, in ROS's order: the last one wins


def read_given(words: Sequence[str]) -> None:
    """Read the files of a command line, before ROS does; raise ParameterFault for an unfit one.

    They say how the drone is protected: whoever may write one of them decides that.
    """
    _given.clear()
    for word, file in pairwise(words):
        if word != "--params-file":
            continue
        try:
            document = from_yaml(read_text(Path(file), MOST_YAML_BYTES, trusted=True))
        except FileFault as fault:
            raise ParameterFault(f"The parameter file {file} {fault}.") from fault
        if not Path(file).name.startswith(_OF_LAUNCH):
            _given.append((file, list(sections(document))))


def check(node: Node) -> None:
    """Raise ParameterFault for a file of which nothing applies to the node: it would be in vain."""
    name, namespace = node.get_fully_qualified_name(), node.get_namespace().rstrip("/")
    _of_node.clear()
    for file, found in _given:
        own = [(file, section) for section in found if section.applies_to(name)]
        _of_node.extend(own)
        if own:
            continue
        shared = {f"{namespace}/{other}" for other in _SHARING}
        if not any(section.applies_to(other) for section in found for other in shared):
            raise ParameterFault(_fault(file, found, name))
        if node.get_name() in _SHARING:
            node.get_logger().info(f"The parameter file {file} has nothing for {name}.")


def located(fault: ParameterFault) -> str:
    """Return the sentence of a fault with the file and section that have what it names."""
    words = set(re.findall(r"[\w.]+", str(fault).replace(". ", " ").rstrip(".")))
    for file, section in reversed(_of_node):
        if words & section.values.keys():
            return f"{file}, section {section.name}: {fault}"
    return str(fault)


def _fault(file: str, found: list[Section], node: str) -> str:
    names = ", ".join(section.name for section in found)
    only = f", only for {names}" if names else ""
    base = node.rpartition("/")[2]
    return f"The parameter file {file} has no section for {node}{only}; name one /**/{base}."
