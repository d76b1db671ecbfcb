# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of the tunnel's sources that holds all mutants; a variable at run time chooses one.

One build thus serves thousands of mutants. Number 0 is the program as it was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_bench.mutants.points import Point, find_points

ACTIVE = "PQC_MUTANT"  # the number of the mutant
REACHED = "PQC_MUTANTS_REACHED"  # a file with a byte for each number, set where it differs
HEADER = "pqc_mutants.hpp"
_FUNCTIONS = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
    "==": "equal", "!=": "not_equal",
}  # fmt: skip
# These use < alone: not every type has the others.
_BOUNDARIES = {"<": "!(b < a)", "<=": "a < b", ">": "!(a < b)", ">=": "b < a"}


@dataclass(frozen=True)
class Mutant:
    """One change of one place."""

    number: int
    file: str  # below src/pqc_tunnel
    line: int
    kind: str
    function: str
    original: str
    mutant: str

    def key(self) -> tuple[str, str, str, str]:
        """The identity of the mutation, which stays the same if it moves within its function."""
        return (self.file, self.function, self.original, self.mutant)


def write_schemata(package: Path, copy: Path, mutated: list[str]) -> list[Mutant]:
    """Copy the package and put the mutants into some of its files, named below it.

    Files that do not change keep their time, so that only what changed is compiled again.
    """
    mutants: list[Mutant] = []
    number = 1
    for file in sorted(path for path in package.rglob("*") if path.is_file()):
        name = str(file.relative_to(package))
        content = file.read_bytes()
        if name in mutated:
            source = content.decode()
            points = find_points(source)
            for point in points:
                point.first_id = number
                mutants += [
                    Mutant(
                        number + i, name, point.line, point.kind, point.function, point.original,
                        text,
                    )
                    for i, text in enumerate(point.mutants)
                ]  # fmt: skip
                number += len(point.mutants)
            content = _rewritten(source, points).encode()
        _write(copy / name, content)
    _write(copy / HEADER, _header().encode())
    for path in [path for path in copy.rglob("*") if path.is_file() and path.name != HEADER]:
        if not (package / path.relative_to(copy)).is_file():
            path.unlink()
    return mutants


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _rewritten(source: str, points: list[Point]) -> str:
    edits: list[tuple[tuple[int, int, int], int, str]] = []
    for point in points:
        opening, closing = _brackets(point)
        # An end stands before a begin at the same place; inner points are inside outer ones.
        edits.append(((point.start, 1, -point.end), point.start, opening))
        edits.append(((point.end, 0, -point.start), point.end, closing))
        if point.operator:
            edits.append(((point.operator[0], 0, 0), point.operator[1], "), ("))
    pieces, at = [], 0
    for (start, _, _), end, text in sorted(edits):
        pieces += [source[at:start], text]
        at = end
    return "".join([*pieces, source[at:]])


def _brackets(point: Point) -> tuple[str, str]:
    if point.kind == "guard":
        return f"::pqc_mutants::guard({point.first_id}, static_cast<bool>(", "))"
    return f"::pqc_mutants::{_FUNCTIONS[point.sign]}({point.first_id}, (", "))"


def _header() -> str:
    comparisons = "".join(
        f"""template <class A, class B>
constexpr bool {name}(unsigned first, const A & a, const B & b)
{{
  return choice(first, a {sign} b, {_BOUNDARIES.get(sign, f"a {sign} b")});
}}
"""
        for sign, name in _FUNCTIONS.items()
    )
    return f"""// Written by `./dev bench mutants`.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <type_traits>

namespace pqc_mutants
{{

inline unsigned char * map_reached()
{{
  const char * name = std::getenv("{REACHED}");
  const int file = name != nullptr ? ::open(name, O_RDWR | O_CLOEXEC) : -1;
  struct stat status = {{}};
  if (file < 0 || ::fstat(file, &status) != 0) {{
    return nullptr;
  }}
  void * bytes = ::mmap(
    nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return bytes != MAP_FAILED ? static_cast<unsigned char *>(bytes) : nullptr;
}}
inline unsigned read_active()
{{
  const char * number = std::getenv("{ACTIVE}");
  return number != nullptr ? static_cast<unsigned>(std::atoi(number)) : 0;
}}
inline const unsigned active = read_active();
inline unsigned char * const reached = map_reached();

// The mutants of a condition are true, false and, where it differs, its neighbour.
constexpr bool choice(unsigned first, bool is, bool neighbour)
{{
  if (std::is_constant_evaluated()) {{
    return is;
  }}
  if (reached != nullptr) {{
    reached[first + (is ? 1 : 0)] = 1;
    if (neighbour != is) {{
      reached[first + 2] = 1;
    }}
  }}
  switch (active - first) {{
    case 0: return true;
    case 1: return false;
    case 2: return neighbour;
    default: return is;
  }}
}}
constexpr bool guard(unsigned first, bool is) {{ return choice(first, is, is); }}
{comparisons}
}}  // namespace pqc_mutants
"""
