# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check that each name of the underlay is used by the workspace or by the underlay itself.

vulture checks Python; `setup/lint.py` runs it. Here a name of a C++ header is used if its word
occurs in the code of the workspace, or in that of the underlay outside of declarations, and a
message if its name occurs in Python. The tests of the underlay don't count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

UNDERLAY = "underlay/"
WORKSPACE = ("src/", "docs/", "setup/")
WORD = re.compile(r"\w+")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
CPP_TYPE = re.compile(r"\b(?:class|struct|enum(?: class)?|using|#define) (\w+)(?=[\s:(]|$)(?!;)")
# A type or a reference stands before a declared function, on the same line.
CPP_FUNCTION = re.compile(r"^[ ]*(?!return|throw|else|:|,)[\w:<>,&* \[\]]*[\w>&*] (\w+)\(", re.M)


def underlay_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Yield a sentence for each name of a C++ header and each message that nobody uses."""
    used = [f for f in files if f.startswith(WORKSPACE) and f.endswith((".py", ".cpp", ".hpp"))]
    workspace = {f: (root / f).read_text() for f in used}
    product = {
        f: (root / f).read_text()
        for f in files
        if f.startswith(UNDERLAY) and "/test/" not in f and f.endswith((".cpp", ".hpp", ".msg"))
    }
    yield from _cpp_findings(workspace, product)
    words = _words(workspace, ".py")
    for file in product:
        if file.endswith(".msg") and not words[Path(file).stem]:
            yield f"{file}: nothing uses this message"


def _words(texts: dict[str, str], *suffixes: str) -> Counter[str]:
    counter: Counter[str] = Counter()
    for name, text in texts.items():
        if name.endswith(suffixes):
            counter.update(WORD.findall(text))
    return counter


def _cpp_findings(workspace: dict[str, str], product: dict[str, str]) -> Iterator[str]:
    code = {f: COMMENT.sub("", t) for f, t in product.items() if f.endswith((".hpp", ".cpp"))}
    words = _words(workspace, ".hpp", ".cpp")
    declared: list[tuple[str, str]] = []
    for file, text in code.items():
        if file.endswith(".cpp"):
            # Definitions begin in the first column.
            words.update(WORD.findall("\n".join(re.findall(r"^ .*$", text, re.M))))
            continue
        names = [*CPP_TYPE.findall(text), *CPP_FUNCTION.findall(text)]
        words.update(WORD.findall(text))
        words.subtract(names)
        if "/include/" in file:
            declared += [(file, name) for name in dict.fromkeys(names)]
    for file, name in declared:
        if words[name] <= 0 and not name.endswith("_"):
            yield f"{file}: nothing uses {name}"
