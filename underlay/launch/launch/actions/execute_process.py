# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that starts a process, watches it and stops it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import shlex
import signal
import traceback
from collections.abc import Iterable
from typing import Any

from .. import events, logging
from ..action import Action
from ..event import Event
from ..event_handler import BaseEventHandler
from ..event_handlers import OnProcessExit
from ..events import process as process_events
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..substitutions import LaunchConfiguration
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from .subprocess_protocol import LineBuffer, OutputProtocol, spawn

_counter = itertools.count(1)
_Environment = dict[SomeSubstitutionsType, SomeSubstitutionsType]
_Pairs = list[tuple[list[Substitution], list[Substitution]]]


def _normalize_pairs(environment: _Environment | None) -> _Pairs | None:
    if environment is None:
        return None
    return [
        (normalize_to_list_of_substitutions(name), normalize_to_list_of_substitutions(value))
        for name, value in environment.items()
    ]


class _ProcessEventHandler(BaseEventHandler):
    """Passes on the events that one ExecuteProcess action must react to."""

    def __init__(self, action: ExecuteProcess) -> None:
        super().__init__(matcher=self.__concerns)
        self.__action = action

    def __concerns(self, event: Event) -> bool:
        if isinstance(event, process_events.RunningProcessEvent):
            return event.action is self.__action
        if isinstance(event, process_events.ProcessTargetedEvent):
            return event.process_matcher(self.__action)
        return isinstance(event, events.Shutdown)

    def handle(self, event: Event, context: LaunchContext) -> None:
        super().handle(event, context)
        self.__action._on_event(event, context)


class ExecuteProcess(Action):
    """Starts a process; its output, end and restarts become events.

    Times are in seconds. When launch shuts down the process receives SIGINT, after sigterm_timeout
    SIGTERM and, sigkill_timeout later, SIGKILL. The process does not outlive launch.
    emulate_tty and cached_output are accepted and change nothing.
    """

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: _Environment | None = None,
        additional_env: _Environment | None = None,
        shell: bool = False,
        sigterm_timeout: SomeSubstitutionsType | None = None,
        sigkill_timeout: SomeSubstitutionsType | None = None,
        emulate_tty: bool = False,
        output: SomeSubstitutionsType | dict[str, Any] = "log",
        output_format: str = "[{this.name}] {line}",
        cached_output: bool = False,
        log_cmd: bool = False,
        on_exit: Any = None,
        respawn: bool | SomeSubstitutionsType = False,
        respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)

        def optional(subs: SomeSubstitutionsType | None) -> list[Substitution] | None:
            return None if subs is None else normalize_to_list_of_substitutions(subs)

        self.__cmd: list[Any] = [normalize_to_list_of_substitutions(part) for part in cmd]
        self.__prefix = optional(prefix)
        self.__name = optional(name)
        self.__cwd = optional(cwd)
        self.__env = _normalize_pairs(env)
        self.__additional_env = _normalize_pairs(additional_env) or []
        self.__shell = shell
        self.__timeouts = [
            normalize_to_list_of_substitutions(
                LaunchConfiguration(option, default=5) if given is None else given
            )
            for option, given in (
                ("sigterm_timeout", sigterm_timeout),
                ("sigkill_timeout", sigkill_timeout),
            )
        ]
        self.__output = os.environ.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT", output)
        self.__output_format = output_format
        self.__log_cmd = log_cmd
        self.__on_exit = on_exit
        self.__respawn = normalize_typed_substitution(respawn, bool)
        self.__respawn_delay = respawn_delay or 0.0
        self.__respawns_left = respawn_max_retries
        self.__details: dict[str, Any] | None = None
        self.__transport: asyncio.SubprocessTransport | None = None
        self.__protocol: OutputProtocol | None = None
        self.__completed: asyncio.Future | None = None
        self.__stopping: asyncio.Future | None = None
        self.__send_sigint = True
        self.__escalation: asyncio.Task | None = None

    @property
    def name(self) -> Any:
        """The unique name such as 'talker-1' once executed, before that what was given."""
        return self.__details["name"] if self.__details else self.__name

    @property
    def cmd(self) -> list[Any]:
        """The command line once executed, before that the parts as lists of substitutions."""
        return self.__details["cmd"] if self.__details else self.__cmd

    @property
    def cwd(self) -> Any:
        """The working directory."""
        return self.__details["cwd"] if self.__details else self.__cwd

    @property
    def env(self) -> Any:
        """The environment."""
        return self.__details["env"] if self.__details else self.__env

    @property
    def shell(self) -> bool:
        """Whether a shell runs the command."""
        return self.__shell

    @property
    def process_details(self) -> dict[str, Any] | None:
        """Action, name, cmd, cwd, env and, once started, pid."""
        return self.__details

    @property
    def return_code(self) -> int | None:
        """The return code, or None if the process has not ended."""
        return None if self.__transport is None else self.__transport.get_returncode()

    def describe(self) -> str:
        """Return a readable form."""
        parts = [
            part if isinstance(part, str) else " + ".join(sub.describe() for sub in part)
            for part in self.cmd
        ]
        return f"{type(self).__name__}(cmd=[{', '.join(parts)}])"

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return what follows the end of the process."""
        return list(self.__on_exit) if isinstance(self.__on_exit, (list, tuple)) else []

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when the process has ended for good."""
        return self.__completed

    def execute(self, context: LaunchContext) -> None:
        """Begin to start the process."""
        if self.__details is not None:
            raise RuntimeError(
                f"ExecuteProcess action '{self.name}': executed more than once: {self.describe()}"
            )
        self.__details = self.__prepare(context)
        if context.is_shutdown:
            return
        output = self.__output
        if not isinstance(output, dict):
            output = perform_substitutions(context, normalize_to_list_of_substitutions(output))
        self.__logger = logging.get_logger(self.name)
        self.__lines = [
            LineBuffer(logger, lambda line: self.__output_format.format(line=line, this=self))
            for logger in logging.get_output_loggers(self.name, output)
        ]
        self.__completed = context.asyncio_loop.create_future()
        self.__stopping = context.asyncio_loop.create_future()
        context.register_event_handler(_ProcessEventHandler(self))
        if self.__on_exit is not None:
            context.register_event_handler(
                OnProcessExit(target_action=self, on_exit=self.__on_exit)
            )
        context.asyncio_loop.create_task(self.__run(context))

    def __prepare(self, context: LaunchContext) -> dict[str, Any]:
        def text(subs: Iterable[Substitution]) -> str:
            return perform_substitutions(context, subs)

        self.__respawn = perform_typed_substitution(context, self.__respawn, bool)
        self.__timeouts = [text(timeout) for timeout in self.__timeouts]
        cmd = [text(part) for part in self.__cmd]
        label = os.path.basename(cmd[0]) if self.__name is None else text(self.__name)
        configurations = context.launch_configurations
        prefix = configurations.get("launch-prefix", "")
        if self.__prefix is not None:
            prefix = text(self.__prefix)
        elif not re.match(configurations.get("launch-prefix-filter", ""), os.path.basename(cmd[0])):
            prefix = ""
        env = dict(context.environment) if self.__env is None else {}
        for name, value in [*(self.__env or []), *self.__additional_env]:
            env[text(name)] = text(value)
        return {
            "action": self,
            "name": f"{label}-{next(_counter)}",
            "cmd": shlex.split(prefix) + cmd,
            "cwd": None if self.__cwd is None else text(self.__cwd),
            "env": env,
        }

    async def __run(self, context: LaunchContext) -> None:
        try:
            while await self.__run_once(context) and self.__may_respawn(context):
                await asyncio.wait([self.__stopping], timeout=self.__respawn_delay)
                if self.__stopping.done():
                    break
        finally:
            if self.__escalation is not None:
                self.__escalation.cancel()
            self.__completed.set_result(None)

    def __may_respawn(self, context: LaunchContext) -> bool:
        if not self.__respawn or context.is_shutdown or self.__stopping.done():
            return False
        self.__respawns_left -= 1
        return self.__respawns_left != -1

    async def __run_once(self, context: LaunchContext) -> bool:
        """Start the process and wait for its end; return False if it could not be started."""
        details = self.__details
        command = " ".join(part for part in details["cmd"] if part.strip())
        if self.__log_cmd:
            self.__logger.info(f"process details: cmd='{command}', cwd='{details['cwd']}'")

        def on_start(pid: int) -> None:
            details["pid"] = pid
            self.__logger.info(f"process started with pid [{pid}]")
            context.emit_event_sync(process_events.ProcessStarted(**details))

        self.__protocol = OutputProtocol(
            on_start=on_start,
            on_stdout=lambda data: context.emit_event_sync(
                process_events.ProcessStdout(text=data, **details)
            ),
            on_stderr=lambda data: context.emit_event_sync(
                process_events.ProcessStderr(text=data, **details)
            ),
        )
        try:
            transport = await spawn(
                self.__protocol, details["cmd"], self.__shell, details["cwd"], details["env"]
            )
        except Exception:
            self.__logger.error(
                f"exception occurred while executing process:\n{traceback.format_exc()}"
            )
            return False
        self.__transport = transport
        pid = details["pid"]
        if self.__stopping.done():
            self.__begin_escalation(context)
        returncode = await self.__protocol.ended
        if returncode == 0:
            self.__logger.info(f"process has finished cleanly [pid {pid}]")
        else:
            self.__logger.error(
                f"process has died [pid {pid}, exit code {returncode}, cmd '{command}']."
            )
        transport.close()
        await context.emit_event(process_events.ProcessExited(returncode=returncode, **details))
        return True

    def _on_event(self, event: Event, context: LaunchContext) -> None:
        if isinstance(event, process_events.ProcessStdout):
            self.__lines[0].write(event.text)
        elif isinstance(event, process_events.ProcessStderr):
            self.__lines[1].write(event.text)
        elif isinstance(event, process_events.ProcessExited):
            for lines in self.__lines:
                lines.flush()
        elif isinstance(event, process_events.SignalProcess):
            self.__send(event.signal_name)
        elif isinstance(event, process_events.ShutdownProcess):
            self.__stop(context, send_sigint=True)
        elif isinstance(event, events.Shutdown):
            # A terminal sends Ctrl-C to the children as well; once is enough.
            self.__stop(context, send_sigint=not event.due_to_sigint or context.noninteractive)

    def __stop(self, context: LaunchContext, *, send_sigint: bool) -> None:
        if self.__stopping.done():
            return
        self.__stopping.set_result(None)
        self.__send_sigint = send_sigint
        if self.__transport is not None and not self.__protocol.ended.done():
            self.__begin_escalation(context)

    def __begin_escalation(self, context: LaunchContext) -> None:
        self.__escalation = context.asyncio_loop.create_task(self.__escalate())

    async def __escalate(self) -> None:
        if self.__send_sigint:
            self.__send("SIGINT")
        waited = 0.0
        for index, (last, following) in enumerate((("SIGINT", "SIGTERM"), ("SIGTERM", "SIGKILL"))):
            timeout = float(self.__timeouts[index])
            await asyncio.wait([self.__protocol.ended], timeout=timeout)
            if self.__protocol.ended.done():
                return
            waited += timeout
            shown = self.__timeouts[0] if index == 0 else waited
            self.__logger.error(
                f"process[{self.name}] failed to terminate '{shown}' seconds after receiving "
                f"'{last}', escalating to '{following}'"
            )
            self.__send(following)

    def __send(self, signal_name: str) -> None:
        if self.__transport is None or self.__protocol.ended.done():
            return
        self.__logger.info(f"sending signal '{signal_name}' to process[{self.name}]")
        with contextlib.suppress(ProcessLookupError):  # it may just have ended by itself
            self.__transport.send_signal(signal.Signals[signal_name])
