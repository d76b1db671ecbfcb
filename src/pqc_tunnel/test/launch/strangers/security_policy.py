# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS 2 policy files of config/sros2, compared with what nodes do in a live graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

from rclpy.node import Node

OPERATOR = "/operator"  # the enclave of commands; each node that a launch file starts has its own
COMMAND = (
    "Beside the running nodes, 'ros2 security generate_policy seen.policy.xml' writes the rules "
    "that they need."
)
# The sizes of the S/MIME file that SROS 2 signs: its frame, and the text around each DDS topic.
PERMISSIONS_FRAME_BYTES = 2600
PERMISSIONS_LINE_BYTES = len("            <topic></topic>\r\n")
# Granted for every node, used only with simulated time or by other versions of ROS.
NOT_ALWAYS_USED = re.compile(r"/clock|/parameter_events|.*/get_type_description")


@dataclass(frozen=True, order=True)
class Use:
    """One thing that a node does with a topic or a service; both names are absolute."""

    node: str
    verb: str
    name: str

    def __str__(self) -> str:
        return f"{self.node} {self.verb} {self.name}"


class SecurityPolicy:
    """The rules of the enclaves of one end."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        self.enclaves = {
            enclave.attrib["path"]: {
                rule
                for profile in enclave.findall("profiles/profile")
                for rule in rules_of(profile)
            }
            for enclave in root.findall("enclaves/enclave")
        }
        self.rules = {
            rule
            for path, rules in self.enclaves.items()
            if path != OPERATOR
            for rule in rules
        }

    @classmethod
    def of_file(cls, file: Path) -> SecurityPolicy:
        """Read a policy file."""
        return cls(file.read_text())

    def nodes(self, namespace: str) -> set[str]:
        """Return the nodes of a namespace that have rules."""
        return {rule.node for rule in self.rules if rule.node.rpartition("/")[0] == namespace}

    def allows(self, use: Use) -> bool:
        """Return whether a rule of the node covers the use."""
        return any(
            (rule.node, rule.verb) == (use.node, use.verb) and fnmatchcase(use.name, rule.name)
            for rule in self.rules
        )

    def enclave_of(self, node: str) -> str:
        """Return the only enclave with rules of a node."""
        (path,) = (
            path for path, rules in self.enclaves.items() if node in {rule.node for rule in rules}
        )
        return path

    def callers(self, service: str) -> set[str]:
        """Return the enclaves whose processes may call a service: DDS tells no nodes apart."""
        return {
            path
            for path, rules in self.enclaves.items()
            if any(rule.verb == "calls" and fnmatchcase(service, rule.name) for rule in rules)
        }

    def permissions_bytes(self, enclave: str) -> int:
        """Approximate size of the signed permissions of an enclave, bytes."""
        topics = {topic for rule in self.enclaves[enclave] for topic in dds_topics(rule)}
        names = sum(len(name) + PERMISSIONS_LINE_BYTES for _, name in topics)
        return PERMISSIONS_FRAME_BYTES + names

    def always_used(self, node: str) -> set[Use]:
        """Return the rules of a node for topics and services that it always has."""
        return {
            rule
            for rule in self.rules
            if rule.node == node
            and "*" not in rule.name
            and not NOT_ALWAYS_USED.fullmatch(rule.name)
        }


def rules_of(profile: ElementTree.Element) -> Iterator[Use]:
    """Return the rules of a profile as uses whose names may hold wildcards."""
    namespace = profile.attrib["ns"].rstrip("/")
    node = f"{namespace}/{profile.attrib['node']}"
    verbs = {"publish": "publishes", "subscribe": "subscribes to"}
    verbs |= {"reply": "serves", "request": "calls"}
    for group in profile:
        for attribute, verb in verbs.items():
            if group.get(attribute) == "ALLOW":
                for element in group:
                    yield Use(node, verb, absolute((element.text or "").strip(), namespace, node))


def dds_topics(rule: Use) -> list[tuple[str, str]]:
    """Return the DDS topics that a rule lets a participant write and read."""
    if rule.verb == "publishes":
        return [("write", f"rt{rule.name}")]
    if rule.verb == "subscribes to":
        return [("read", f"rt{rule.name}")]
    request, reply = f"rq{rule.name}Request", f"rr{rule.name}Reply"
    if rule.verb == "serves":
        return [("read", request), ("write", reply)]
    return [("write", request), ("read", reply)]


def absolute(name: str, namespace: str, node: str) -> str:
    """Return a name of a policy file as ROS resolves it."""
    if name.startswith("~"):
        return node + name[1:]
    return name if name.startswith("/") else f"{namespace}/{name}"


def uses_of(node: str, observer: Node) -> set[Use]:
    """Return the uses of a node that the observer has discovered."""
    queries: dict[str, Callable[[str, str], list[tuple[str, list[str]]]]] = {
        "publishes": observer.get_publisher_names_and_types_by_node,
        "subscribes to": observer.get_subscriber_names_and_types_by_node,
        "serves": observer.get_service_names_and_types_by_node,
        "calls": observer.get_client_names_and_types_by_node,
    }
    namespace, _, name = node.rpartition("/")
    return {
        Use(node, verb, topic)
        for verb, query in queries.items()
        for topic, _ in query(name, namespace or "/")
    }


def complaints(uses: set[Use], policy: SecurityPolicy, file: str) -> list[str]:
    """Return a sentence for each use without a rule."""
    return [
        f"{use}, for which {file} has no rule. {COMMAND}"
        for use in sorted(uses)
        if not policy.allows(use)
    ]
