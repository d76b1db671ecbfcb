# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check that each public name of the underlay is used by the workspace or by the underlay itself.

A name is used if its word occurs in the code of the workspace, or in the product code of the
underlay outside of definitions, imports and docstrings; the tests of the underlay don't count. This
is a search for words and no analysis: a name that is common (`run`, `add`) always counts as used.
The check skips methods of classes with a base from a library, which calls them, and pytest's hooks.
The verbs of `ros2` are not checked: users type them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

UNDERLAY = "underlay/"
WORKSPACE = ("src/", "docs/", "setup/", "docker/", "README.md", "dev")
TEXT = (".py", ".cpp", ".hpp", ".md", ".bash", ".yaml", ".Dockerfile", "dev")
WORD = re.compile(r"\w+")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
CPP_TYPE = re.compile(r"\b(?:class|struct|enum(?: class)?|using|#define) (\w+)(?=[\s:(]|$)(?!;)")
# A type or a reference stands before a declared function, on the same line.
CPP_FUNCTION = re.compile(r"^[ ]*(?!return|throw|else|:|,)[\w:<>,&* \[\]]*[\w>&*] (\w+)\(", re.M)


def underlay_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Yield a sentence for each public name of the underlay that nobody uses."""
    used = [f for f in files if f.startswith(WORKSPACE) and f.endswith(TEXT)]
    workspace = {f: (root / f).read_text() for f in used if f != "setup/underlay_use.py"}
    product = {
        f: (root / f).read_text()
        for f in files
        if f.startswith(UNDERLAY) and "/test/" not in f and f.endswith((*TEXT, ".msg"))
    }
    yield from _python_findings(workspace, product)
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


class _PythonModule:
    """The public names of a module, and the words it uses without its definitions and imports."""

    def __init__(self, text: str) -> None:
        self.public: list[tuple[int, str]] = []
        self.words: Counter[str] = Counter()
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.words[node.id] += 1
            elif isinstance(node, ast.Attribute):
                self.words[node.attr] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                # Strings contain entry points, annotations and names of requests.
                self.words.update(WORD.findall(node.value))
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and "__all__" in ast.unparse(statement.targets[0]):
                self.words.subtract(ast.literal_eval(statement.value))
            self._collect(statement)

    def _collect(self, statement: ast.stmt) -> None:
        if not isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
            return
        name = statement.name
        # Docstrings mention names without using them.
        self.words.subtract(WORD.findall(ast.get_docstring(statement, clean=False) or ""))
        if not name.startswith(("_", "pytest_")):
            self.public.append((statement.lineno, name))
        if isinstance(statement, ast.ClassDef) and not any(
            isinstance(base, ast.Attribute) for base in statement.bases
        ):
            for inner in statement.body:
                self._collect(inner)


def _python_findings(workspace: dict[str, str], product: dict[str, str]) -> Iterator[str]:
    modules = {f: _PythonModule(t) for f, t in product.items() if f.endswith(".py")}
    words = _words(workspace, ".py")
    for module in modules.values():
        words.update({word: count for word, count in module.words.items() if count > 0})
    for file, module in modules.items():
        for line, name in module.public:
            if not words[name]:
                yield f"{file}:{line}: nothing uses {name}"


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
