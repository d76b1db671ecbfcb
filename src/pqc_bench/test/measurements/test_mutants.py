# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which places of a source are mutated, and what becomes of the mutants of a small program."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from pqc_bench.mutants.points import find_points
from pqc_bench.mutants.schemata import HEADER, Mutant, write_schemata
from pqc_bench.mutants.survivors import Survivors
from pqc_bench.mutants.trial import Verdict, judge, record
from pqc_sim.processes.run_fault import RunFault

SOURCE = """
#include <vector>
namespace core {

static_assert(sizeof(int) >= 4);

template <class T>
struct Gate
{
  bool allows(int age, const std::vector<T> & seen) const
  {
    if (age > limit || !seen.empty()) {
      ++refused;
      return false;
    }
    const bool open = age == 0 ? is_open : true;  // a comment with a < b
    return open;
  }
  int limit = 3;
  bool is_open = true;
  mutable int refused = 0;
};

constexpr int most(int a, int b)
{
  return a < b ? b : a;
}

inline bool is_never_called(int a)
{
  return a != 7;
}

}  // namespace core
"""

TESTS = """
#include <gtest/gtest.h>
#include "core.hpp"
static_assert(core::most(2, 3) == 3);
TEST(Gate, allows_the_young) { EXPECT_TRUE(core::Gate<int>().allows(1, {})); }
TEST(Gate, is_asked_at_the_limit) { core::Gate<int>().allows(3, {}); }
TEST(Gate, refuses_the_old) { EXPECT_FALSE(core::Gate<int>().allows(9, {})); }
TEST(Gate, fails_always) { EXPECT_TRUE(core::Gate<int>().allows(9, {})); }
"""


def test_comparisons_and_guards_are_found_where_they_are() -> None:
    found = {
        (point.kind, point.function, point.original): point.mutants for point in find_points(SOURCE)
    }
    assert found == {
        ("comparison", "Gate::allows", "age > limit"): ["true", "false", "age >= limit"],
        ("guard", "Gate::allows", "!seen.empty()"): ["true", "false"],
        ("comparison", "Gate::allows", "age == 0"): ["true", "false"],
        ("comparison", "most", "a < b"): ["true", "false", "a <= b"],
        ("comparison", "is_never_called", "a != 7"): ["true", "false"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "auto && value = take();",
        "std::vector<Pair<int>> pairs = make<int>(3);",
        "const Bytes copy(bytes.begin(), bytes.end());",
        "if constexpr (size > 4) { use(); }",
        "static_assert(size == 4);",
        'log("a < b && c");',
        "const bool all = (is_known(kinds) && ...);",
        "using Map = std::map<Key, Value>;",
    ],
)
def test_what_only_looks_like_a_condition_is_left_alone(text: str) -> None:
    assert find_points(f"void function()\n{{\n  {text}\n}}\n") == []


def test_each_mutant_is_killed_by_the_case_that_checks_it(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "core.hpp").write_text(SOURCE)
    (package / "test.cpp").write_text(TESTS)
    copy = tmp_path / "copy"
    mutants = write_schemata(package, copy, ["core.hpp"])
    program = tmp_path / "test"
    subprocess.run(
        [
            shutil.which("c++") or "c++", "-std=c++20", "-O0", "-w", "-include", copy / HEADER,
            copy / "test.cpp", "-o", program, "-lgtest", "-lgtest_main", "-pthread",
        ],
        check=True,
    )  # fmt: skip
    cases, failed = record([program], mutants[-1].number)
    assert failed == ["test Gate.fails_always"]
    assert len(cases) == 3
    seen: list[Verdict] = []
    verdicts = judge(mutants, cases, seen.append)
    assert len(seen) == len(mutants)
    results = {(one.mutant.original, one.mutant.mutant): one.result for one in verdicts}
    assert results["age > limit", "true"] == "killed"
    assert results["age > limit", "false"] == "killed"
    assert results["age > limit", "age >= limit"] == "survived"
    assert results["!seen.empty()", "true"] == "killed"
    assert results["!seen.empty()", "false"] == "not reached"
    assert results["a != 7", "true"] == "not reached"
    killers = {
        one.mutant.mutant: one.by for one in verdicts if one.mutant.original == "age > limit"
    }
    assert killers["true"] == "test: Gate.allows_the_young"
    assert killers["false"] == "test: Gate.refuses_the_old"


def test_a_file_that_stays_the_same_is_not_written_again(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "core.hpp").write_text(SOURCE)
    (package / "gone.hpp").write_text("")
    first = write_schemata(package, tmp_path / "copy", ["core.hpp"])
    os.utime(tmp_path / "copy" / "core.hpp", (1, 1))
    (package / "gone.hpp").unlink()
    assert write_schemata(package, tmp_path / "copy", ["core.hpp"]) == first
    assert (tmp_path / "copy" / "core.hpp").stat().st_mtime == 1
    assert not (tmp_path / "copy" / "gone.hpp").exists()


def test_a_reason_belongs_to_a_text_and_not_to_a_line(tmp_path: Path) -> None:
    file = tmp_path / "listed.yaml"
    file.write_text('- reason: both are the same\n  mutants:\n    - "a.cpp | f | a < b | a <= b"\n')
    listed = Survivors.read(file)
    mutant = Mutant(1, "a.cpp", 99, "comparison", "f", "a < b", "a <= b")
    assert listed.reason(mutant) == "both are the same"
    assert list(listed.outdated([Verdict(mutant, "survived")])) == []
    assert list(listed.outdated([Verdict(mutant, "killed")])) == ["a.cpp | f | a < b | a <= b"]
    file.write_text('- reason: incomplete\n  mutants: ["a.cpp | f"]\n')
    with pytest.raises(RunFault, match="isn't 'file"):
        Survivors.read(file)
