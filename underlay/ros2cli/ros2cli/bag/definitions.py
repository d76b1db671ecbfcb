# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Definition of a message type with all parts, and its hash, as a bag stores them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

_FIELD = re.compile(r"^\s*([A-Za-z]\w*(?:/[A-Za-z]\w*)?)(?:\[[^\]]*\])?(?:<=\d+)?\s+[a-z]\w*")


def _path(msgtype: str, suffix: str) -> Path:
    package, _, name = msgtype.split("/")
    return Path(get_package_share_directory(package)) / "msg" / f"{name}.{suffix}"


def _parts(msgtype: str, text: str) -> list[str]:
    """Return the message types that a definition uses, in their order."""
    package = msgtype.split("/")[0]
    found = []
    for line in text.splitlines():
        match = _FIELD.match(line)
        if not match:
            continue
        owner, _, name = match[1].rpartition("/")
        if owner or name[0].isupper():
            found.append(f"{owner or package}/msg/{name}")
    return found


def message_definition(msgtype: str) -> str:
    """Return the text of the .msg file followed by those of all parts.

    Raises OSError or LookupError if a file is not installed.
    """
    texts = {msgtype: _path(msgtype, "msg").read_text(encoding="utf-8")}
    pending = _parts(msgtype, texts[msgtype])
    while pending:
        part = pending.pop(0)
        if part not in texts:
            texts[part] = _path(part, "msg").read_text(encoding="utf-8")
            pending += _parts(part, texts[part])
    main = texts.pop(msgtype)
    blocks = [
        f"{'=' * 80}\nMSG: {name.replace('/msg/', '/')}\n{text}" for name, text in texts.items()
    ]
    return "\n".join([main, *blocks])


def type_hash(msgtype: str) -> str:
    """Return the REP 2016 hash that the generator has installed, or '' if there is none."""
    try:
        description = json.loads(_path(msgtype, "json").read_text(encoding="utf-8"))
    except OSError:
        return ""
    for entry in description.get("type_hashes", []):
        if entry["type_name"] == msgtype:
            return entry["hash_string"]
    return ""
