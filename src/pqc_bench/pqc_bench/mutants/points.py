# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds what can be mutated in a C++ source: comparisons and guards.

The sources are formatted by clang-format, which tells a comparison from a template by its spaces.
A parser of the whole language is therefore not needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ ]*\#(?:[^\n\\]|\\.)*)
    |(?P<string>R"\(.*?\)"|(?:u8|L)?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d[\w'.]*)
    |(?P<sign><=>|<<=|>>=|\.\.\.|->|::|\+\+|--|<=|>=|==|!=|&&|\|\||<<|[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_SCOPE = ":" * 2  # in one piece it reads as an address
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BLOCK_KEYWORDS = {"if", "for", "while", "switch", "catch"}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_SEPARATORS = {";", ",", "?", ":", "return", "case", "else", "throw", *_ASSIGNMENTS}
_BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPARISONS = {"==", "!=", *_BOUNDARIES}
_SIGNS_OF_OPERATORS = {"==", "<", "=", "!=", "<=>"}


@dataclass
class Node:
    """A token, or a pair of brackets with what is between them."""

    text: str
    start: int
    end: int
    spaced: bool = False  # white space before and after it
    inside: list[Node] | None = None


@dataclass
class Point:
    """A place in a source, and the texts that may stand there instead."""

    kind: str  # comparison or guard
    function: str
    original: str
    mutants: list[str]
    start: int
    end: int
    operator: tuple[int, int] | None = None  # of a comparison
    sign: str = ""
    line: int = 0
    first_id: int = field(default=0, compare=False)


def find_points(source: str) -> list[Point]:
    """Return the points of a source, in the order of their starts."""
    points: list[Point] = []
    for function, body in _functions(_tree(source), ""):
        points += _points_of(source, function, body)
    for point in points:
        point.line = source.count("\n", 0, point.start) + 1
    return sorted(points, key=lambda point: (point.start, -point.end))


def _tree(source: str) -> list[Node]:
    stack: list[Node] = [Node("", 0, len(source), inside=[])]
    for match in _TOKEN.finditer(source):
        text = match.group()
        if match.lastgroup == "skip":
            continue
        spaced = source[match.start() - 1].isspace() and source[match.end() : match.end() + 1] in (
            " ", "\n",
        )  # fmt: skip
        if text in _CLOSING:
            group = Node(text, match.start(), len(source), inside=[])
            stack[-1].inside.append(group)
            stack.append(group)
        elif text in _CLOSING.values():
            stack.pop().end = match.end()
        else:
            stack[-1].inside.append(Node(text, match.start(), match.end(), spaced))
    return stack[0].inside


def _functions(nodes: list[Node], scope: str) -> Iterator[tuple[str, list[Node]]]:
    """Every function of a file, a namespace or a class, with its body."""
    header: list[Node] = []
    for node in nodes:
        words = [one.text for one in header]
        if node.text == ";" and node.inside is None:
            header = []
        elif node.text != "{":
            header.append(node)
        elif "(" in words and "=" not in words[: words.index("(")]:
            name = _name_before(header, words.index("("))
            yield (f"{scope}{name}", node.inside)
            header = []
        else:
            kinds = [i for i, word in enumerate(words) if word in ("class", "struct")]
            name = words[kinds[-1] + 1] if kinds and kinds[-1] + 1 < len(words) else ""
            if name or "namespace" in words:
                yield from _functions(node.inside, f"{scope}{name}::" if name else scope)
            if "=" not in words:
                header = []


def _name_before(header: list[Node], bracket: int) -> str:
    if header[bracket - 1].text in _SIGNS_OF_OPERATORS:
        return "operator" + header[bracket - 1].text
    name: list[str] = []
    for node in reversed(header[:bracket]):
        if name and (node.text == _SCOPE) == (name[0] == _SCOPE):
            break
        name.insert(0, node.text)
    return "".join(name)


def _points_of(
    source: str, function: str, nodes: list[Node], *, is_condition: bool = False
) -> Iterator[Point]:
    start = 0
    for i in range(len(nodes) + 1):
        end = nodes[i] if i < len(nodes) else None
        if end is not None and not _separates(nodes, i):
            continue
        asked = (end is not None and end.text == "?") or (
            is_condition and end is None and (start == 0 or nodes[start - 1].text == ";")
        )
        yield from _atoms(source, function, nodes[start:i], is_asked=asked)
        start = i + 1
    for i, node in enumerate(nodes):
        if node.inside and not _is_constant(nodes, i):
            condition = node.text == "(" and i > 0 and nodes[i - 1].text in ("if", "while")
            yield from _points_of(source, function, node.inside, is_condition=condition)


def _separates(nodes: list[Node], i: int) -> bool:
    if nodes[i].inside is None:
        return nodes[i].text in _SEPARATORS
    if nodes[i].text != "{":
        return False
    before = nodes[i - 1].text if i > 0 else ";"
    after_condition = before == "(" and i > 1 and nodes[i - 2].text in _BLOCK_KEYWORDS
    return after_condition or before in (";", "{", "else", "do", "try", ":")


def _is_constant(nodes: list[Node], i: int) -> bool:
    """Return whether what is in these brackets must be known when it is compiled."""
    return i > 0 and nodes[i - 1].text in (
        "static_assert", "constexpr", "sizeof", "decltype", "noexcept", "requires",
    )  # fmt: skip


def _atoms(source: str, function: str, nodes: list[Node], *, is_asked: bool) -> Iterator[Point]:
    """Points of one expression: what stands between its && and ||."""
    atoms: list[list[Node]] = [[]]
    for node in nodes:
        if node.text in ("&&", "||") and node.inside is None:
            if not atoms[-1]:
                return  # a reference
            atoms.append([])
        else:
            atoms[-1].append(node)
    if len(atoms) > 1 and (
        not all(atoms) or any(atom[-1].text in ("auto", "...") for atom in atoms)
    ):
        return
    for atom in atoms:
        signs = [
            i
            for i, node in enumerate(atom)
            if node.inside is None and node.text in _COMPARISONS and node.spaced and i > 0
        ]
        equal = [i for i in signs if atom[i].text in ("==", "!=")]
        if signs and signs[-1] + 1 < len(atom):
            yield _comparison(source, function, atom, (equal or signs)[0])
        elif atom and (is_asked or len(atoms) > 1 or atom[0].text == "!"):
            text = _text(source, atom[0].start, atom[-1].end)
            yield Point(
                "guard", function, text, ["true", "false"], atom[0].start, atom[-1].end
            )  # fmt: skip


def _comparison(source: str, function: str, atom: list[Node], at: int) -> Point:
    start, end, sign = atom[0].start, atom[-1].end, atom[at]
    mutants = ["true", "false"]
    if sign.text in _BOUNDARIES:
        left, right = source[start : sign.start], source[sign.end : end]
        mutants.append(" ".join(f"{left} {_BOUNDARIES[sign.text]} {right}".split()))
    return Point(
        "comparison", function, _text(source, start, end), mutants, start, end,
        (sign.start, sign.end), sign.text,
    )  # fmt: skip


def _text(source: str, start: int, end: int) -> str:
    return " ".join(source[start:end].split())
