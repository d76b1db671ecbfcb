# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration ends when its user, its reader or the system ends it, and leaves nothing."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import termios
from pathlib import Path

import pytest
from demo_runs import started, wait_for_line
from pqc_testing.child import descendants
from test_process_group import ended, wait_until


@pytest.mark.parametrize("line", ["", " starting ", " flying "])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_soon_with_one_sentence_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals, line: str
) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        # Without a line: while it makes keys and starts.
        wait_until(lambda: any(tmp_path.iterdir()))
        if line:
            wait_for_line(process, line)
        children = descendants(process.pid)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number, errors
    assert errors == f"demo: interrupted by {number.name}; all programs have ended\n"
    wait_until(lambda: all(ended(pid) for pid in children))
    assert not any(tmp_path.iterdir())


def test_a_killed_demo_leaves_no_process_and_no_keys(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        wait_for_line(process, " flying ")
        assert list(tmp_path.glob("*/keys/gcs/*"))
        children = descendants(process.pid)
        process.kill()
        process.communicate()
    wait_until(lambda: all(ended(pid) for pid in children))
    wait_until(lambda: not any(tmp_path.iterdir()))


def test_a_reader_that_goes_away_ends_it_without_a_word(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait(60) == 128 + signal.SIGPIPE
    assert not any(tmp_path.iterdir())


def test_on_a_terminal_keys_rekey_and_land(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    shown = b""
    # Keys are read from the controlling terminal only.
    own_terminal = {
        "stdin": slave,
        "stdout": slave,
        "start_new_session": True,
        "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    }
    with started(tmp_path, "--seconds", "60", **own_terminal) as process:
        os.close(slave)
        keys = iter(((b"flying", b"r"), (b" took ", b"q")))
        awaited, key = next(keys)
        while True:
            try:
                shown += os.read(master, 4096)
            except OSError:
                break
            if awaited and awaited in shown:
                os.write(master, key)
                awaited, key = next(keys, (b"", b""))
        process.wait(60)
    os.close(master)
    assert b"\x1b[?1049h" in shown and b"\x1b[?1049l" in shown
    assert re.search(rb"rekey to cs-\S+ took ", shown)
    assert awaited == b""
    assert process.returncode == 0
