# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A computer on which a measurement runs programs: this one, or another one that `ssh` reaches.

Another one is reached by OpenSSH's own client with the user's configuration, keys and jump hosts;
files travel as an archive of `tar` over the same connection. Nothing else listens.
"""

from __future__ import annotations

import io
import shlex
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pqc_sim.processes.run_fault import RunFault

LOCAL = "local"
# A connection that breaks is noticed after a minute, and none ever waits for a password.
_OPTIONS = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=4")
# The exit code of ssh for its own errors.
_NOT_REACHED = 255
_COPY_S = 300.0


class HostLostError(RunFault):
    """The connection to a host broke, or none came about."""


@dataclass(frozen=True)
class Outcome:
    """The end of a program."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")

    @property
    def reason(self) -> str:
        """The last line that it wrote to its standard error."""
        return self._said()[-1]

    @property
    def first_reason(self) -> str:
        """The first such line: tar ends with one that says nothing."""
        return self._said()[0]

    def _said(self) -> list[str]:
        lines = self.err.decode(errors="replace").strip().splitlines()
        return lines or [f"it exited with {self.code}"]


class Host:
    """A host by the name that `ssh` understands, or `local`."""

    def __init__(self, name: str = LOCAL, configuration: str = "") -> None:
        """Take a file in place of the user's ~/.ssh/config, too; nothing is connected yet."""
        self.name = name
        self._ssh: list[str] = []
        if name != LOCAL:
            options = [word for option in _OPTIONS for word in ("-o", option)]
            file = ["-F", configuration] if configuration else []
            self._ssh = ["ssh", *file, *options, "-T", "--", name]

    def run(
        self, words: Sequence[str], *, given: bytes = b"", seconds: float = 60.0, folder: str = ""
    ) -> Outcome:
        """Run a program, in a folder below the user's home or an absolute one.

        HostLostError if the host can't be reached, or doesn't answer in `seconds`.
        """
        script = shlex.join(words)
        return self._run(
            f"cd {shlex.quote(folder)} && {script}" if folder else script, given, seconds
        )

    def start(self, words: Sequence[str], folder: str, log: str) -> None:
        """Start a program that goes on without this connection; RunFault if that fails."""
        program = f"setsid nohup {shlex.join(words)} >{shlex.quote(log)} 2>&1 </dev/null &"
        done = self._run(f"cd {shlex.quote(folder)} && {{ {program} }}", b"", 60.0)
        if done.code != 0:
            raise RunFault(f"{words[0]} can't be started on {self.name}: {done.reason}")

    def put(self, files: dict[str, bytes], folder: str, mode: int = 0o600) -> None:
        """Write files into a folder, which is made; names may have folders. RunFault if it fails.

        Nobody else may read the folder.
        """
        place = shlex.quote(folder)
        script = f"umask 077 && mkdir -p {place} && tar -xf - -C {place}"
        done = self._run(script, _archive(files, mode), _COPY_S)
        if done.code != 0:
            raise RunFault(f"{folder} can't be written on {self.name}: {done.first_reason}")

    def get(self, folder: str, to: Path) -> None:
        """Copy the content of a folder into one of this machine."""
        done = self._run(f"cd {shlex.quote(folder)} && tar -cf - .", b"", _COPY_S)
        if done.code != 0:
            raise RunFault(f"{folder} can't be copied from {self.name}: {done.reason}")
        to.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(done.out)) as archive:
            for member in archive.getmembers():
                # Nothing outside of the folder is written, whatever the host sends.
                parts = PurePosixPath(member.name).parts
                source = archive.extractfile(member) if member.isfile() else None
                if source is None or ".." in parts or member.name.startswith("/"):
                    continue
                file = to.joinpath(*parts)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(source.read())

    def _run(self, script: str, given: bytes, seconds: float) -> Outcome:
        command = [*self._ssh, script] if self._ssh else ["sh", "-c", script]
        try:
            done = subprocess.run(
                command,
                input=given,
                capture_output=True,
                timeout=seconds,
                check=False,
                cwd=None if self._ssh else Path.home(),
            )
        except subprocess.TimeoutExpired:
            raise HostLostError(f"{self.name} did not answer in {seconds:.0f} s") from None
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        if self._ssh and (done.returncode == _NOT_REACHED or done.returncode < 0):
            raise HostLostError(f"{self.name} can't be reached: {outcome.reason}")
        return outcome


def _archive(files: dict[str, bytes], mode: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()
