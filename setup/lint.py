# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check format and style of all tracked files; --fix corrects what the tools can correct."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import packages
import parameters
from budget import budget_findings
from clang_tidy import tidy_findings
from cpp_includes import include_findings
from documents import evidence_findings, link_findings
from python_imports import import_findings, lab_packages
from underlay_use import underlay_findings

CPP = (".cpp", ".hpp")
SOURCE = (*CPP, ".py", ".bash")
ADDRESS = re.compile(
    r"""(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|["']localhost["']|["']::1?["']"""
)
# Written by the library that writes bags.
BAG_METADATA = "metadata.yaml"
# Methods and hooks of the underlay that asyncio, unittest and pytest call.
CALLED_BY_LIBRARIES = (
    "connection_*", "pipe_data_received", "process_exited", "exc", "_removeTestAtIndex", "runtest",
    "reportinfo", "pytest_*",
)  # fmt: skip
# Places that may contain addresses: configuration, launch files, tests and simulators.
ADDRESS_ALLOWED = re.compile(r"(^|/)(launch|config|docs|test|tests|docker)/|\.md$|^underlay/")


def source_files(root: Path) -> list[str]:
    """List the files of a checkout as Git does; in an unpacked archive, all but hidden folders."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=root, check=True, capture_output=True, text=True,
        )
        return listed.stdout.splitlines()
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    generated = ("__pycache__",)
    return sorted(
        str(path) for path in files
        if not any(part in generated or part.startswith(".") for part in path.parts[:-1])
    )


class Lint:
    """Checks the tracked files of a checkout; each check yields its findings."""

    def __init__(self, root: Path, build: Path, *, fix: bool) -> None:
        self.root = root
        self.build = build
        self.fix = fix
        self.files = [
            name for name in source_files(root)
            if (root / name).is_file() and not (root / name).is_symlink()
        ]

    def named(self, *suffixes: str, under: str = "") -> list[str]:
        """Tracked files with one of these endings, below a folder."""
        return [f for f in self.files if f.endswith(suffixes) and f.startswith(under)]

    def tool(self, *command: str) -> Iterator[str]:
        """Run a program from the root; its output, line by line, if it fails."""
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            yield from (done.stdout + done.stderr).splitlines() or [f"{command[0]} failed"]

    def clang_format(self) -> Iterator[str]:
        mode = ["-i"] if self.fix else ["--dry-run", "-Werror"]
        yield from self.tool("clang-format-14", *mode, *self.named(*CPP))

    def clang_tidy(self) -> Iterator[str]:
        packages = ("pqc_exposure", "pqc_tools", "pqc_tunnel")
        for package in packages:
            if not (self.build / package / "compile_commands.json").is_file():
                yield "clang-tidy needs a build first: ./dev build"
                return
        for package in packages:
            files = self.named(".cpp", under=f"src/{package}/")
            names = (name for name in files if "/test/" not in name)
            sources = [self.root / name for name in names]
            yield from tidy_findings(self.root, self.build / package, sources)

    def ruff(self) -> Iterator[str]:
        python = [f for f in self.named(".py")]
        fix = ["--fix"] if self.fix else []
        yield from self.tool(sys.executable, "-m", "ruff", "check", "--quiet", *fix, *python)

    def shell(self) -> Iterator[str]:
        for script in [*self.named(".bash", "/pqc-seal"), "dev", ".ci/run", ".ci/cross"]:
            yield from self.tool("bash", "-n", script)

    def copyright(self) -> Iterator[str]:
        for name in self.named(*SOURCE):
            text = (self.root / name).read_text()
            head = text[:400]
            marked = "Copyright" in head and "SPDX-License-Identifier: Apache-2.0" in head
            if text.strip() and not marked:
                yield f"{name}: does not begin with copyright and licence"

    def packages(self) -> Iterator[str]:
        yield from packages.package_findings(self.root, self.files, fix=self.fix)
        yield from packages.link_findings(self.root)

    def release(self) -> Iterator[str]:
        yield from packages.release_findings(self.root, self.files)

    def python_imports(self) -> Iterator[str]:
        yield from import_findings(self.root, self.files)
        folders = [str(self.root / "src" / name) for name in lab_packages(self.root)]
        linter = Path(sys.executable).with_name("lint-imports")
        yield from self.tool(
            "env", f"PYTHONPATH={':'.join([*folders, str(self.root / 'src' / 'pqc_policy')])}",
            str(linter), "--config", "setup/imports.ini", "--no-cache", "--no-logo",
        )

    def cpp_includes(self) -> Iterator[str]:
        yield from include_findings(self.root, self.files)

    def parameters(self) -> Iterator[str]:
        program = self.build / "pqc_tunnel" / "pqc"
        if not program.is_file():
            yield "the check of the tunnel's parameters needs a build first: ./dev build"
            return
        yield from parameters.findings(self.root, parameters.all_tables(program), fix=self.fix)

    def underlay_use(self) -> Iterator[str]:
        yield from underlay_findings(self.root, self.files)
        unused = self.tool(
            sys.executable, "-m", "vulture", "underlay", "src", "setup", "launch", "docs",
            "--exclude", "*/underlay/*/test/*", "--ignore-names", ",".join(CALLED_BY_LIBRARIES),
        )
        yield from (line for line in unused if line.startswith("underlay/"))

    def documents(self) -> Iterator[str]:
        yield from link_findings(self.root, self.files)
        yield from evidence_findings(self.root, self.files)

    def addresses(self) -> Iterator[str]:
        for name in self.named(*SOURCE):
            if ADDRESS_ALLOWED.search(name) or name == "setup/lint.py":
                continue
            for number, line in enumerate((self.root / name).read_text().splitlines(), 1):
                if ADDRESS.search(line):
                    yield f"{name}:{number}: hard-coded address: {line.strip()}"

    def whitespace(self) -> Iterator[str]:
        for name in self.named(*SOURCE, ".md", ".yaml", ".xml", ".txt", ".cmake", ".msg", ".srv"):
            if "/vectors/" in name or Path(name).name == BAG_METADATA:
                continue
            text = (self.root / name).read_text()
            if text and not text.endswith("\n"):
                yield f"{name}: does not end with a newline"
            for number, line in enumerate(text.splitlines(), 1):
                if line != line.rstrip():
                    yield f"{name}:{number}: trailing blanks"

    def budget(self) -> Iterator[str]:
        yield from budget_findings(self.root, self.files)

    def checks(self) -> list[Callable[[], Iterator[str]]]:
        return [
            self.clang_format, self.ruff, self.shell, self.copyright, self.packages,
            self.python_imports, self.cpp_includes, self.underlay_use, self.parameters,
            self.documents, self.addresses, self.whitespace, self.budget, self.clang_tidy,
        ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev lint", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--fix", action="store_true", help="correct what the tools can correct")
    parser.add_argument("--only", help="one check by name; release is none of the others")
    arguments = parser.parse_args()
    lint = Lint(arguments.root.resolve(), arguments.build.resolve(), fix=arguments.fix)
    checks = lint.checks()
    if arguments.only == "release":
        checks = [lint.release]
    names = [*(check.__name__ for check in checks), "release"]
    if arguments.only and arguments.only not in names:
        parser.error(f"there is no check '{arguments.only}'; the checks are {', '.join(names)}")
    failed = 0
    for check in checks:
        if arguments.only and check.__name__ != arguments.only:
            continue
        findings = list(check())
        failed += bool(findings)
        print(f"{check.__name__}: {'ok' if not findings else ''}", flush=True)
        for line in findings[:60]:
            print(f"  {line}")
        if len(findings) > 60:
            print(f"  … and {len(findings) - 60} lines more")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
