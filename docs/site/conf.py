# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The site that ./dev docs builds: Sphinx's configuration, and the pages generated for it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TUNNEL = ROOT / "src/pqc_tunnel"
PYTHON_PACKAGES = (
    *("pqc_policy", "pqc_sim", "pqc_reference", "pqc_learning", "pqc_bench"),
    "pqc_testing",
)

project = "PQC-MAV for ROS 2"
author = "The PQC-MAV Authors"
copyright = f"2026 {author}"
version = release = "0.2.0"

extensions = ["autoapi.extension", "breathe", "myst_parser"]
root_doc = "index"
include_patterns = [
    "*.md",
    "api/**",
    "docs/**.md",
    "docker/README.md",
    "formal/README.md",
    "underlay/README.md",
    "src/*/*.md",
    "src/*/CHANGELOG.rst",
    "src/pqc_tunnel/*/**.md",
]
exclude_patterns = ["docs/site"]
default_role = "literal"
nitpicky = True
# What other projects define has no page here.
nitpick_ignore_regex = [
    ("cpp:.*", r"(?!pqc_tunnel::).*"),
    ("py:.*", r"(?!pqc_).*|pqc_msgs\..*"),
]
suppress_warnings = [
    "autoapi.python_import_resolution",  # a name imported through a second module
    "duplicate_declaration.cpp",  # the namespace, once for each header
    "ref.python",  # two modules may each have a class Plan
]

html_theme = "sphinx_rtd_theme"
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["style.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

breathe_projects = {"pqc_tunnel": str(TUNNEL / "doxygen")}
breathe_default_project = "pqc_tunnel"
breathe_show_include = False

autoapi_dirs = [str(ROOT / "src" / name / name) for name in PYTHON_PACKAGES]
autoapi_root = "api/python"
autoapi_add_toctree_entry = False
autoapi_options = ["members", "undoc-members", "show-module-summary"]


def write_headers() -> None:
    listed = (TUNNEL / "cmake/public_headers.txt").read_text().splitlines()
    for room in sorted({header.rpartition("/")[0] for header in listed}):
        lines = [f"# {room}"]
        for header in listed:
            if header.rpartition("/")[0] == room:
                lines += [f"## {Path(header).name}", f"```{{doxygenfile}} {header}", "```"]
        write(f"cpp/{room.replace('/', '_')}.md", lines)


def write_messages() -> None:
    """Write one page with the definition of every message and service."""
    lines = ["# Messages and services"]
    for file in sorted(ROOT.glob("src/pqc_msgs/[ms][sr][gv]/*.*")):
        lines += [f"## {file.stem}", f"`pqc_msgs/{file.parent.name}/{file.stem}`"]
        lines += ["```text", file.read_text().strip(), "```"]
    write("messages.md", lines)


def write_launch_arguments() -> None:
    """Write one page with the arguments of the launch files that users start."""
    lines = ["# Launch arguments"]
    parts = ast.parse((ROOT / "src/pqc_tunnel/pqc_tunnel/launch_parts.py").read_text())
    shared = {of.name: declared(of, {}) for of in parts.body if isinstance(of, ast.FunctionDef)}
    for file in sorted(ROOT.glob("launch/*.launch.py")):
        tree = ast.parse(file.read_text())
        lines += [f"## {file.name}", ast.get_docstring(tree) or ""]
        if rows := [launch_argument(call) for call in declared(tree, shared)]:
            lines += ["", "| argument | default | description |", "|---|---|---|", *rows]
    write("launch_arguments.md", lines)


def declared(tree: ast.AST, shared: dict[str, list[ast.Call]]) -> list[ast.Call]:
    """Return the calls that declare arguments, those of shared functions too."""
    found = []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: call.lineno):
        name = ast.unparse(call.func)
        found += [call] if name in ("argument", "switch") else shared.get(name, [])
    return [call for call in found if isinstance(call.args[0], ast.Constant)]


def launch_argument(call: ast.Call) -> str:
    """Return the table's row of one declared argument."""
    name, default, description = (text_of(given) for given in call.args[:3])
    choices = [text_of(choice) for choice in getattr(call.args[-1], "elts", [])]
    if ast.unparse(call.func) == "switch":
        choices = ["true", "false"]
    choice = f" One of {', '.join(choices)}." if choices else ""
    return f"| `{name}` | {default and f'`{default}`'} | {description}{choice} |"


def text_of(node: ast.expr) -> str:
    """Return a literal's value, or the strings of an expression as a path."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
    parts.sort(key=lambda part: (part.lineno, part.col_offset))
    return "/".join(str(part.value) for part in parts)


def write(name: str, lines: list[str]) -> None:
    page = ROOT / "api" / name
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(lines) + "\n")


def setup(app: Any) -> None:
    """Write the generated pages when Sphinx reads this file."""
    write_headers()
    write_messages()
    write_launch_arguments()
