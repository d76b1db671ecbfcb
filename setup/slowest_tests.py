# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Print the tests that took longest, by the result files below a folder: there CI's time goes."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SHOWN = 12


def durations(build: Path) -> list[tuple[float, str]]:
    """Return seconds and name of every test case of JUnit files, the longest first."""
    found = []
    for file in build.rglob("*.xml"):
        try:
            tree = ElementTree.parse(file)
        except ElementTree.ParseError:
            continue
        for case in tree.iter("testcase"):
            # CTest names the program twice, others the file and the test in it.
            names = dict.fromkeys((case.get("classname", ""), case.get("name", "")))
            place = file.relative_to(build).parts[0]
            seconds = float(case.get("time") or 0)
            found.append((seconds, f"{place}: {' '.join(filter(None, names))}"))
    return sorted(found, reverse=True)


if __name__ == "__main__":
    print("   the slowest tests:")
    for seconds, name in durations(Path(sys.argv[1]))[:SHOWN]:
        print(f"   {seconds:6.1f} s  {name}")
