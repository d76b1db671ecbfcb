# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Make the CMake packages inside the ROS 2 wheels of a virtual environment usable on this machine.

The CMake files of the wheels contain paths of the machine that built them:

* the `*__rosidl_generator_py` targets point at another machine's Python and numpy headers;
* fastdds wants `/usr/lib64/libtinyxml2.so` and tracetools `lttng-ust` on every link line, although
  both libraries are in the wheels and nothing outside calls them;
* `librcl.so` depends on `*__rosidl_generator_py.so`, which need Python's data symbols, so a C++
  executable has to load libpython as well;
* no `local_setup.bash` marks the environment as a prefix, about which colcon warns.

Usage: fix_wheels.py VENV. Running it again changes nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

FOREIGN_PYTHON = re.compile(r"/opt/python/[^/\";]+/include/python[0-9.]+")
FOREIGN_NUMPY = re.compile(
    r"/opt/python/[^/\";]+/lib/python[0-9.]+/site-packages/numpy/_core/include"
)
FOREIGN_TINYXML2 = re.compile(r"/usr/lib64/libtinyxml2\.so;")
FOREIGN_LTTNG = re.compile(r"lttng-ust;(?=dl\b)")
PYTHON_TARGET = re.compile(
    r"(set_target_properties\(\S+__rosidl_generator_py PROPERTIES\n)"
    r"(?=  INTERFACE_INCLUDE_DIRECTORIES)"
)

PREFIX_MARKER = "# Marks this folder as a ROS prefix; underlay/environment.bash sets it up.\n"

DESCRIBE_PYTHON = """
import json, pathlib, sysconfig, numpy
folder = pathlib.Path(sysconfig.get_config_var("LIBDIR"))
name = sysconfig.get_config_var("INSTSONAME") or ""
if not name.endswith(".a"):
    names = [name]
else:
    names = [f"libpython{sysconfig.get_config_var('LDVERSION')}.so.1.0"]
multiarch = sysconfig.get_config_var("MULTIARCH") or ""
found = [p for n in names for p in (folder / n, folder / multiarch / n) if p.exists()]
print(json.dumps({
    "include": sysconfig.get_path("include"),
    "numpy": numpy.get_include(),
    "library": str(found[0]) if found else "",
}))
"""


def describe_python(venv: Path) -> dict[str, str]:
    """Ask the environment's interpreter for its headers, numpy's headers and libpython."""
    answer = subprocess.run(
        [venv / "bin" / "python", "-c", DESCRIBE_PYTHON],
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(json.loads(answer.stdout))


def repaired(text: str, python: dict[str, str]) -> str:
    """Return the CMake file's text with every foreign path replaced or dropped."""
    text = FOREIGN_NUMPY.sub(python["numpy"], text)
    text = FOREIGN_PYTHON.sub(python["include"], text)
    text = FOREIGN_TINYXML2.sub("", text)
    text = FOREIGN_LTTNG.sub("", text)
    is_executable = r"\$<STREQUAL:\$<TARGET_PROPERTY:TYPE>,EXECUTABLE>"
    link = f"--allow-shlib-undefined,--push-state,--no-as-needed,{python['library']},--pop-state"
    option = f'  INTERFACE_LINK_OPTIONS "\\$<{is_executable}:LINKER:{link}>"\n'
    return PYTHON_TARGET.sub(lambda match: match.group(1) + option, text)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: fix_wheels.py VENV", file=sys.stderr)
        return 2
    venv = Path(sys.argv[1]).absolute()
    try:
        python = describe_python(venv)
    except (OSError, subprocess.CalledProcessError):
        print(f"fix_wheels: {venv} has no Python with numpy in it.", file=sys.stderr)
        return 1
    if not python["library"]:
        print("fix_wheels: libpython is missing; install libpython3-dev.", file=sys.stderr)
        return 1
    changed = 0
    for file in sorted((venv / "share").glob("*/cmake/*.cmake")):
        before = file.read_text()
        after = repaired(before, python)
        if after != before:
            file.write_text(after)
            changed += 1
    (venv / "local_setup.bash").write_text(PREFIX_MARKER)
    print(f"fix_wheels: {changed} CMake files rewritten in {venv}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
