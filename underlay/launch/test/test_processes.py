# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes are started, watched, restarted and stopped as described."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from launch import LaunchDescription, LaunchService
from launch.actions import (
    EmitEvent,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart
from launch.events import matches_action
from launch.events.process import SignalProcess


@pytest.fixture(autouse=True)
def restored_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def run(*entities) -> int:
    service = LaunchService(noninteractive=True)
    service.include_launch_description(LaunchDescription(list(entities)))
    return service.run()


def python(code: str, **kwargs) -> ExecuteProcess:
    return ExecuteProcess(cmd=[sys.executable, "-u", "-c", textwrap.dedent(code)], **kwargs)


class Exits:
    """Return codes of processes by action, in the order of their ends."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.handler = RegisterEventHandler(OnProcessExit(on_exit=self._note))

    def _note(self, event, context) -> None:
        self.codes.append(event.returncode)


SLEEPS = """
    import time
    print("ready")
    time.sleep(60)
"""
IGNORES_SIGINT = """
    import signal, time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("ready")
    time.sleep(60)
"""
IGNORES_SIGNALS = """
    import signal, time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready")
    time.sleep(60)
"""


def when_ready(process: ExecuteProcess, *actions) -> RegisterEventHandler:
    def on_stdout(event):
        return list(actions) if b"ready" in event.text else None

    return RegisterEventHandler(OnProcessIO(target_action=process, on_stdout=on_stdout))


def test_output_exit_code_and_events_of_a_process_are_seen():
    order, text = [], {"stdout": b"", "stderr": b""}
    process = python(
        """
        import sys
        print("to stdout")
        print("to stderr", file=sys.stderr)
        sys.exit(3)
        """
    )

    def note(event):
        source = "stdout" if event.from_stdout else "stderr"
        order.append(source)
        text[source] += event.text

    assert (
        run(
            RegisterEventHandler(
                OnProcessStart(
                    target_action=process, on_start=lambda event, context: order.append("start")
                )
            ),
            RegisterEventHandler(
                OnProcessIO(target_action=process, on_stdout=note, on_stderr=note)
            ),
            RegisterEventHandler(
                OnProcessExit(
                    target_action=process,
                    on_exit=lambda event, context: order.append((event.returncode, event.pid > 0)),
                )
            ),
            process,
        )
        == 0
    )
    assert "start" in order
    assert order[-1] == (3, True)
    assert text == {"stdout": b"to stdout\n", "stderr": b"to stderr\n"}


def test_environment_folder_and_prefix_reach_the_process(tmp_path):
    process = ExecuteProcess(
        cmd=["sh", "-c", 'printf "%s " "$PWD" "$FROM_CONTEXT" "$OWN" "$PREFIXED"'],
        cwd=str(tmp_path),
        additional_env={"OWN": "b"},
    )
    seen = []
    run(
        SetEnvironmentVariable("FROM_CONTEXT", "a"),
        SetLaunchConfiguration("launch-prefix", "env PREFIXED=c"),
        RegisterEventHandler(OnProcessIO(on_stdout=lambda event: seen.append(event.text))),
        process,
    )
    assert b"".join(seen).decode().split() == [str(tmp_path), "a", "b", "c"]
    # As in the real package: a process without a name has that of the prefix.
    assert process.process_details["name"].startswith("env-")


def test_on_exit_actions_follow_the_end_of_a_process():
    process = python("pass", on_exit=[Shutdown(reason="it is over")])
    sleeper = python(SLEEPS)
    exits = Exits()
    assert run(exits.handler, sleeper, when_ready(sleeper, process)) == 0
    assert sorted(exits.codes) in ([-2, 0], [0, 1])


def test_shutdown_sends_sigint():
    process, exits = python(SLEEPS), Exits()
    assert run(exits.handler, when_ready(process, Shutdown(reason="enough")), process) == 0
    assert exits.codes == [-signal.SIGINT]


def test_a_process_that_ignores_sigint_gets_sigterm():
    process, exits = python(IGNORES_SIGINT, sigterm_timeout="0.1"), Exits()
    assert run(exits.handler, process, when_ready(process, Shutdown())) == 0
    assert exits.codes == [-signal.SIGTERM]


def test_a_process_that_ignores_all_gets_sigkill():
    process = python(IGNORES_SIGNALS, sigterm_timeout="0.1", sigkill_timeout="0.1")
    exits = Exits()
    assert run(exits.handler, process, when_ready(process, Shutdown())) == 0
    assert exits.codes == [-signal.SIGKILL]


def test_one_process_can_be_signalled_alone():
    process, exits = python(SLEEPS), Exits()
    interrupt = SignalProcess(signal_number=signal.SIGTERM, process_matcher=matches_action(process))
    assert run(exits.handler, process, when_ready(process, EmitEvent(event=interrupt))) == 0
    assert exits.codes == [-signal.SIGTERM]


def test_a_process_is_respawned_until_shutdown():
    exits = Exits()
    process = python("pass", respawn=True, respawn_delay=0.01)

    def end_after_three(event, context):
        return Shutdown() if len(exits.codes) == 3 else None

    end = RegisterEventHandler(OnProcessExit(on_exit=end_after_three))
    assert run(end, exits.handler, process) == 0
    assert exits.codes == [0, 0, 0]


def test_shutdown_ends_the_wait_for_a_respawn():
    exits = Exits()
    assert (
        run(
            exits.handler,
            python("pass", respawn=True, respawn_delay=60.0),
            RegisterEventHandler(
                OnProcessExit(on_exit=[TimerAction(period=0.05, actions=[Shutdown()])])
            ),
        )
        == 0
    )
    assert exits.codes == [0]


def test_a_program_that_does_not_exist_is_reported_and_nothing_hangs(capfd):
    assert run(ExecuteProcess(cmd=["/no/such/program"])) == 0


def test_a_process_cannot_be_executed_twice():
    process = python("pass")
    assert run(process, process) == 1


def test_a_function_can_wait_for_nothing_and_the_launch_ends():
    assert run(OpaqueFunction(function=lambda context: None)) == 0


SCRIPT = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import ExecuteProcess
service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([
    ExecuteProcess(
        cmd=[sys.executable, "-u", "-c", {code!r}], name="worker", output={output!r},
        sigterm_timeout="5",
    ),
]))
sys.exit(service.run())
"""


@pytest.fixture
def start():
    """Starts a launch in a process of its own; gives its lines of output."""
    started: list[subprocess.Popen] = []

    def start_(code: str, output: str = "screen") -> subprocess.Popen:
        script = SCRIPT.format(code=textwrap.dedent(code), output=output)
        started.append(
            subprocess.Popen(
                [sys.executable, "-u", "-c", script],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return started[-1]

    yield start_
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def read_until(process: subprocess.Popen, text: str) -> list[str]:
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if text in line:
            return lines
    raise AssertionError(f"'{text}' is not in {lines}")


def test_the_screen_shows_the_life_of_a_process_in_the_usual_words(start):
    launch = start("import sys; print('hello'); sys.exit(4)")
    lines = launch.communicate()[0].splitlines()
    assert any(line.startswith("[INFO] [worker-1]: process started with pid [") for line in lines)
    assert "[worker-1] hello" in lines
    died = next(line for line in lines if line.startswith("[ERROR] [worker-1]: process has died"))
    assert "exit code 4, cmd '" in died
    assert launch.returncode == 0


def test_output_log_shows_only_stderr_on_the_screen(start, tmp_path):
    launch = start("import sys; print('quiet'); print('loud', file=sys.stderr)", output="log")
    text = launch.communicate()[0]
    assert "[worker-1] loud" in text
    assert "quiet" not in text
    log = next(tmp_path.glob("*/launch.log"))
    assert "[worker-1] quiet" in log.read_text()


def test_ctrl_c_stops_the_processes_and_the_launch(start):
    launch = start(SLEEPS)
    read_until(launch, "ready")
    launch.send_signal(signal.SIGINT)
    lines = launch.communicate()[0].splitlines()
    assert "[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)" in lines
    assert "[INFO] [worker-1]: sending signal 'SIGINT' to process[worker-1]" in lines
    assert launch.returncode == 0


def test_a_second_ctrl_c_does_not_abandon_the_processes(start):
    launch = start(
        """
        import signal, time
        stop = []
        def first(*_):
            print("first")
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            stop.append(1)
        signal.signal(signal.SIGINT, first)
        print("ready")
        while not stop:
            time.sleep(0.01)
        time.sleep(2)
        print("clean end")
        """
    )
    read_until(launch, "ready")
    launch.send_signal(signal.SIGINT)
    read_until(launch, "first")
    launch.send_signal(signal.SIGINT)
    text = launch.communicate()[0]
    assert "again, ignoring..." in text
    assert "clean end" in text
    assert launch.returncode == 0
