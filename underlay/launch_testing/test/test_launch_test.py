# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the launch_test command runs and reports tests and leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

HEAD = """
import sys
import unittest

import launch
import launch_testing
import launch_testing.actions
import launch_testing.asserts
import launch_testing.util
from launch.actions import ExecuteProcess
from launch_testing.actions import ReadyToTest

def python(code, **kwargs):
    return ExecuteProcess(cmd=[sys.executable, "-u", "-c", code], **kwargs)
"""

TALKER = """
TALKER = '''
import os, signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
open(os.environ["ROS_LOG_DIR"] + "/ready", "w").close()
time.sleep(60)
'''
"""


@pytest.fixture
def launch_test(tmp_path):
    """Run launch_test on the text of a file; return its code, output and report."""

    def run(text: str) -> tuple[int, str, ET.Element | None]:
        path, report = tmp_path / "sample_launch_test.py", tmp_path / "report.xml"
        path.write_text(HEAD + TALKER + textwrap.dedent(text))
        command = [sys.executable, "-m", "launch_testing.launch_test", str(path)]
        result = subprocess.run(
            [*command, f"--junit-xml={report}", "--package-name=some_package"],
            env={**os.environ, "ROS_LOG_DIR": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=30,
        )
        xml = ET.parse(report).getroot() if report.exists() else None
        return result.returncode, result.stdout, xml

    return run


def outcomes(report: ET.Element) -> dict[str, str]:
    """Return 'passed', 'failure', 'error' or 'skipped' for each test."""
    return {
        case.get("name"): case[0].tag if len(case) else "passed" for case in report.iter("testcase")
    }


def test_tests_see_their_context_and_return_codes_after_the_shutdown(launch_test):
    code, output, report = launch_test(
        """
        def generate_test_description():
            talker = python(TALKER, name="talker")
            return launch.LaunchDescription([talker, ReadyToTest()]), {"talker": talker}

        class TestWhileRunning(unittest.TestCase):
            @classmethod
            def setUpClass(cls, talker):
                cls.talker = talker

            def setUp(self, talker):
                self.assertIs(self.talker, talker)

            def test_pid(self, talker):
                import os, time
                while not os.path.exists(os.environ["ROS_LOG_DIR"] + "/ready"):
                    time.sleep(0.01)
                self.assertGreater(talker.process_details["pid"], 0)

        @launch_testing.post_shutdown_test()
        class TestAfterShutdown(unittest.TestCase):
            def test_codes(self, proc_info, talker):
                launch_testing.asserts.assertExitCodes(proc_info)
                self.assertEqual([info.returncode for info in proc_info], [0])
                self.assertEqual(list(proc_info.processes()), [talker])
        """
    )
    assert code == 0, output
    assert outcomes(report) == {"test_pid": "passed", "test_codes": "passed"}


def test_failures_errors_and_skips_are_reported(launch_test):
    code, output, report = launch_test(
        """
        def generate_test_description():
            return launch.LaunchDescription([python(TALKER), ReadyToTest()])

        class TestWhileRunning(unittest.TestCase):
            def test_failing(self):
                self.fail("on purpose")

            def test_broken(self):
                raise KeyError("on purpose")

            @unittest.skip("not today")
            def test_skipped(self):
                pass

        @launch_testing.post_shutdown_test()
        class TestAfterShutdown(unittest.TestCase):
            def test_passing(self, proc_info):
                self.assertEqual(len(list(proc_info)), 1)
        """
    )
    assert code == 1
    assert outcomes(report) == {
        "test_failing": "failure",
        "test_broken": "error",
        "test_skipped": "skipped",
        "test_passing": "passed",
    }
    assert "on purpose" in output


def test_a_test_after_the_shutdown_can_fail(launch_test):
    code, _, report = launch_test(
        """
        def generate_test_description():
            return launch.LaunchDescription(
                [python("raise SystemExit(3)", name="failing"),
                 launch_testing.util.KeepAliveProc(), ReadyToTest()])

        class TestWhileRunning(unittest.TestCase):
            def test_wait(self, proc_info):
                import time
                while not any(hasattr(info, "returncode") for info in proc_info):
                    time.sleep(0.01)

        @launch_testing.post_shutdown_test()
        class TestAfterShutdown(unittest.TestCase):
            def test_codes(self, proc_info):
                launch_testing.asserts.assertExitCodes(proc_info)
        """
    )
    assert code == 1
    assert outcomes(report) == {"test_wait": "passed", "test_codes": "failure"}


def test_processes_that_end_too_early_are_reported_as_a_failure(launch_test):
    code, output, report = launch_test(
        """
        def generate_test_description():
            dying = python("print('last words'); raise SystemExit(7)", name="dying")
            return launch.LaunchDescription([dying, ReadyToTest()])

        class TestWhileRunning(unittest.TestCase):
            def test_patience(self):
                import time
                time.sleep(20)
        """
    )
    assert code == 1
    assert "Processes under test stopped before tests completed" in output
    assert "exited with 7" in output
    assert outcomes(report) == {"test_patience": "failure"}


def test_a_description_runs_once_for_each_parameter(launch_test):
    code, output, report = launch_test(
        """
        @launch_testing.parametrize("word", ["one", "two"])
        def generate_test_description(word):
            keep = launch_testing.util.KeepAliveProc()
            return launch.LaunchDescription([keep, ReadyToTest()]), {"same": word}

        class TestWord(unittest.TestCase):
            def test_word(self, same, word):
                self.assertEqual(same, word)
        """
    )
    assert code == 0, output
    assert set(outcomes(report)) == {"test_word[one]", "test_word[two]"}


def test_a_description_without_ready_to_test_is_rejected(launch_test):
    code, output, _ = launch_test(
        """
        def generate_test_description():
            return launch.LaunchDescription([])
        """
    )
    assert code not in (0, None)
    assert "ReadyToTest" in output


def test_a_file_that_does_not_exist_is_reported_with_its_name():
    result = subprocess.run(
        [sys.executable, "-m", "launch_testing.launch_test", "/no/such/file.py"],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "'/no/such/file.py' does not exist" in result.stderr


def wait_for(condition, timeout: float = 10.0) -> bool:
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_test_that_is_stopped_from_outside_leaves_no_process_behind(tmp_path, number):
    path, marker = tmp_path / "hanging_launch_test.py", tmp_path / "pid"
    code = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    path.write_text(
        HEAD
        + textwrap.dedent(
            f"""
            def generate_test_description():
                return launch.LaunchDescription([python({code!r}), ReadyToTest()])

            class TestHanging(unittest.TestCase):
                def test_hanging(self):
                    import time
                    time.sleep(60)
            """
        )
    )
    test = subprocess.Popen(
        [sys.executable, "-m", "launch_testing.launch_test", str(path)],
        env={**os.environ, "ROS_LOG_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert wait_for(lambda: marker.exists() and marker.read_text())
        child = Path("/proc") / marker.read_text()
        test.send_signal(number)
        assert test.wait(10) != 0
        assert wait_for(lambda: not child.exists())
    finally:
        test.kill()
        test.wait()


def test_pytest_runs_a_marked_description(tmp_path):
    path = tmp_path / "test_marked.py"
    path.write_text(
        HEAD
        + textwrap.dedent(
            """
            import pytest

            @pytest.mark.launch_test
            def generate_test_description():
                return launch.LaunchDescription(
                    [launch_testing.util.KeepAliveProc(), ReadyToTest()])

            class TestIt(unittest.TestCase):
                def test_good(self, proc_info):
                    self.assertLessEqual(len(list(proc_info)), 1)

                def test_bad(self):
                    self.fail("on purpose")
            """
        )
    )
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(path)],
        env={**os.environ, "ROS_LOG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1, result.stdout
    assert "1 failed" in result.stdout
    assert "test_bad" in result.stdout and "on purpose" in result.stdout
