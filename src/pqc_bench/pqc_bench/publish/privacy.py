# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds what tells where or by whom something was measured."""

from __future__ import annotations

import getpass
import ipaddress
import re
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

# Accounts that many machines have tell nothing.
_COMMON = ("root", "user", "ubuntu", "debian", "pi", "admin", "nobody")
_SHORTEST_NAME = 3
# Four numbers that are no version, and what may be IPv6.
_ADDRESS = re.compile(
    rb"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
    rb"|(?<![\w.:])[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F]+(?![\w.:])"
)
_HARDWARE = re.compile(rb"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])")
_HOME = re.compile(rb"(?<![\w/])/(?:home/[\w.-]+|root/|Users/[\w.-]+)")
_KEY = re.compile(rb"-----BEGIN [A-Z ]*KEY-----|PQC-MAV-(?:PSK|IDENTITY)")
# Made from other data: nothing stands in them that isn't searched for there.
_DERIVED = (".parquet",)


def local_names() -> dict[str, str]:
    """Return what the name of this machine and its user are, by the name itself."""
    names = {socket.gethostname(): "this host", socket.getfqdn(): "this host"}
    names |= {getpass.getuser(): "this user", Path.home().name: "this user"}
    return {
        name: what
        for name, what in names.items()
        if len(name) >= _SHORTEST_NAME and name not in _COMMON and not name.startswith("local")
    }


def traces_of(folder: Path, names: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield each file of a folder that names something, and what; `names` are by themselves."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix not in _DERIVED:
            found = dict.fromkeys(found_in(file.read_bytes(), names))
            yield from ((file.relative_to(folder), what) for what in found)


def found_in(content: bytes, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what some bytes name: hosts, users, addresses, home folders, keys."""
    for name, what in names.items():
        if re.search(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])", content):
            yield f"{what} ({name})"
    for match in _ADDRESS.finditer(content):
        text = match[0].decode()
        if is_foreign(text):
            yield f"the address {text}"
    for kind, words in (
        (_HARDWARE, "the hardware address"),
        (_HOME, "the folder"),
        (_KEY, "a key:"),
    ):
        for match in kind.finditer(content):
            yield f"{words} {match[0].decode()}"


def is_foreign(text: str) -> bool:
    """Return whether a text is an address that is not every machine's own."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
