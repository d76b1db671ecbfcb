# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that starts a process, watches it and stops it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shlex
import signal
import traceback
from collections.abc import Iterable, Mapping
from typing import Any

from .. import events, logging
from ..event_handlers import BaseEventHandler, Handler, OnProcessExit
from ..events import Event
from ..events.process import (
    ProcessExited,
    ProcessIO,
    ProcessStarted,
    RunningProcessEvent,
    SignalProcess,
)
from ..launch_context import LaunchContext
from ..launch_description import Action
from ..substitutions import SomeSubstitutionsType, Text
from .subprocess_protocol import LineBuffer, OutputProtocol, spawn

_counter = itertools.count(1)


class ExecuteProcess(Action):
    """Starts a process; its output, end and restarts become events.

    Times are in seconds. When launch shuts down the process receives SIGINT, after sigterm_timeout
    SIGTERM and, sigkill_timeout later, SIGKILL. The process does not outlive launch.
    """

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        additional_env: Mapping[str, SomeSubstitutionsType] | None = None,
        sigterm_timeout: str = "5",
        sigkill_timeout: str = "5",
        output: str = "log",
        on_exit: Handler = None,
        respawn: bool = False,
        respawn_delay: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__cmd = [Text(part) for part in cmd]
        self.__name = None if name is None else Text(name)
        self.__cwd = None if cwd is None else Text(cwd)
        self.__additional_env = {
            name: Text(value) for name, value in (additional_env or {}).items()
        }
        self.__timeouts = (sigterm_timeout, sigkill_timeout)
        self.__output = output
        self.__on_exit = on_exit
        self.__respawn = respawn
        self.__respawn_delay = respawn_delay
        self.__details: dict[str, Any] | None = None
        self.__transport: asyncio.SubprocessTransport | None = None
        self.__protocol: OutputProtocol | None = None
        self.__completed: asyncio.Future | None = None
        self.__stopping: asyncio.Future | None = None
        self.__send_sigint = True
        self.__escalation: asyncio.Task | None = None

    @property
    def process_details(self) -> dict[str, Any] | None:
        """Name, cmd, cwd, env and, once started, pid; None before the action is executed."""
        return self.__details

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when the process has ended for good."""
        return self.__completed

    def command(self, context: LaunchContext) -> list[str]:
        """Return the command line; sub-classes extend it."""
        return [part.perform(context) for part in self.__cmd]

    def execute(self, context: LaunchContext) -> None:
        """Begin to start the process; RuntimeError if that has been done before."""
        if self.__details is not None:
            raise RuntimeError(
                f"ExecuteProcess action '{self.__details['name']}': executed more than once"
            )
        self.__details = details = self.__prepare(context)
        if context.is_shutdown:
            return
        name = details["name"]
        self.__logger = logging.get_logger(name)
        self.__lines = [
            LineBuffer(logger, f"[{name}] ")
            for logger in logging.get_output_loggers(name, self.__output)
        ]
        self.__completed = context.asyncio_loop.create_future()
        self.__stopping = context.asyncio_loop.create_future()
        context.register_event_handler(BaseEventHandler(Event, self.__on_event, self.__concerns))
        if self.__on_exit is not None:
            context.register_event_handler(
                OnProcessExit(target_action=self, on_exit=self.__on_exit)
            )
        context.asyncio_loop.create_task(self.__run(context))

    def __prepare(self, context: LaunchContext) -> dict[str, Any]:
        prefix = shlex.split(context.launch_configurations.get("launch-prefix", ""))
        cmd = prefix + self.command(context)
        label = os.path.basename(cmd[0]) if self.__name is None else self.__name.perform(context)
        own = {name: value.perform(context) for name, value in self.__additional_env.items()}
        return {
            "name": f"{label}-{next(_counter)}",
            "cmd": cmd,
            "cwd": None if self.__cwd is None else self.__cwd.perform(context),
            "env": {**os.environ, **own},
        }

    async def __run(self, context: LaunchContext) -> None:
        try:
            while await self.__run_once(context) and self.__respawn and not context.is_shutdown:
                await asyncio.wait([self.__stopping], timeout=self.__respawn_delay)
                if self.__stopping.done():
                    break
        finally:
            if self.__escalation is not None:
                self.__escalation.cancel()
            self.__completed.set_result(None)

    async def __run_once(self, context: LaunchContext) -> bool:
        """Start the process and wait for its end; return False if it could not be started."""
        details = self.__details

        def emit(event_class: type[RunningProcessEvent], **fields: Any) -> None:
            context.emit_event_sync(
                event_class(
                    action=self, process_name=details["name"], pid=details["pid"], **fields
                )
            )

        def on_start(pid: int) -> None:
            details["pid"] = pid
            self.__logger.info(f"process started with pid [{pid}]")
            emit(ProcessStarted)

        self.__protocol = OutputProtocol(
            on_start, lambda data, is_stdout: emit(ProcessIO, text=data, from_stdout=is_stdout)
        )
        try:
            transport = await spawn(
                self.__protocol, details["cmd"], details["cwd"], details["env"]
            )
        except Exception:
            self.__logger.error(
                f"exception occurred while executing process:\n{traceback.format_exc()}"
            )
            return False
        self.__transport = transport
        if self.__stopping.done():
            self.__begin_escalation(context)
        returncode = await self.__protocol.ended
        if returncode == 0:
            self.__logger.info(f"process has finished cleanly [pid {details['pid']}]")
        else:
            command = " ".join(part for part in details["cmd"] if part.strip())
            self.__logger.error(
                f"process has died [pid {details['pid']}, exit code {returncode}, "
                f"cmd '{command}']."
            )
        transport.close()
        emit(ProcessExited, returncode=returncode)
        return True

    def __concerns(self, event: Event) -> bool:
        if isinstance(event, RunningProcessEvent):
            return event.action is self
        if isinstance(event, SignalProcess):
            return event.process_matcher(self)
        return isinstance(event, events.Shutdown)

    def __on_event(self, event: Event, context: LaunchContext) -> None:
        if isinstance(event, ProcessIO):
            self.__lines[0 if event.from_stdout else 1].write(event.text)
        elif isinstance(event, ProcessExited):
            for lines in self.__lines:
                lines.flush()
        elif isinstance(event, SignalProcess):
            self.__send(event.signal_number.name)
        elif isinstance(event, events.Shutdown) and not self.__stopping.done():
            self.__stopping.set_result(None)
            # A terminal sends Ctrl-C to the children as well; once is enough.
            self.__send_sigint = not event.due_to_sigint or context.noninteractive
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
                f"process[{self.__details['name']}] failed to terminate '{shown}' seconds after "
                f"receiving '{last}', escalating to '{following}'"
            )
            self.__send(following)

    def __send(self, signal_name: str) -> None:
        if self.__transport is None or self.__protocol.ended.done():
            return
        self.__logger.info(f"sending signal '{signal_name}' to process[{self.__details['name']}]")
        with contextlib.suppress(ProcessLookupError):  # it may just have ended by itself
            self.__transport.send_signal(signal.Signals[signal_name])
