# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A temporary folder that is removed even if its process is killed."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

# The end of its input is the end of the process. Programs that are still running may write files.
_REMOVE = """
trap '' HUP INT TERM
read -r _
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf -- "$1"
  [ -e "$1" ] || exit 0
  sleep 1
done
"""


def require_temporary_folder() -> None:
    """Raise RunFault if no temporary file can be written."""
    named = os.environ.get("TMPDIR")  # tempfile passes over it without a word if it is unusable
    try:
        tempfile.TemporaryFile(dir=named or None).close()
    except OSError as error:
        place = f"in '{named}', which TMPDIR names" if named else "anywhere"
        raise RunFault(
            f"no temporary file can be written {place}: {error.strerror or error}"
        ) from error


class ScratchFolder:
    """Makes a folder for this user alone, which a process of its own removes at the end.

    So files such as keys don't outlive a killed program.
    """

    def __init__(self, prefix: str) -> None:
        """Take the beginning of the folder's name; start its remover, before there is a folder."""
        self._folder = Path(tempfile.gettempdir()) / f"{prefix}{secrets.token_hex(8)}"
        self._remover = subprocess.Popen(
            ["sh", "-c", _REMOVE, "sh", self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Path:
        try:
            self._folder.mkdir(mode=0o700)
            return self._folder
        except BaseException:  # an interrupt, too
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._remover.communicate()
