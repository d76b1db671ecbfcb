# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop that visits entities and processes events until nothing is left to do."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Iterator

from . import logging
from .event_handlers import BaseEventHandler
from .events import Event, IncludeLaunchDescription, Shutdown
from .launch_context import LaunchContext
from .launch_description import LaunchDescription, LaunchDescriptionEntity


class LaunchService:
    """Runs launch descriptions; SIGINT and SIGTERM shut it down in an orderly way."""

    def __init__(self, *, noninteractive: bool = False) -> None:
        self.__logger = logging.get_logger("launch")
        self.__context = LaunchContext(noninteractive=noninteractive)
        self.__context.register_event_handler(
            BaseEventHandler(IncludeLaunchDescription, lambda event, _: event.launch_description)
        )
        self.__context.register_event_handler(BaseEventHandler(Shutdown, self.__on_shutdown))
        self.__futures: list[asyncio.Future] = []
        self.__loop_lock = threading.RLock()
        self.__loop: asyncio.AbstractEventLoop | None = None
        self.__return_code = 0
        self.__next_event: asyncio.Task[Event] | None = None

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Visit a description as soon as the service runs."""
        self.__context.emit_event_sync(IncludeLaunchDescription(launch_description))

    def shutdown(self) -> None:
        """Start the shutdown of a running service; callable from any thread."""
        with self.__loop_lock:
            if self.__loop is not None:
                self.__loop.call_soon_threadsafe(
                    self.__begin_shutdown, "LaunchService.shutdown() called"
                )

    def run(self) -> int:
        """Run until everything is done; return 0, or 1 if launching itself failed."""
        return asyncio.run(self.__run())

    async def __run(self) -> int:
        with self.__running():
            self.__logger.info(f"All log files can be found below {logging.log_dir()}")
            while True:
                if self.__is_idle():
                    if self.__context.is_shutdown:
                        break
                    self.__begin_shutdown("idle")
                try:
                    await self.__step()
                except Exception as error:
                    message = f"Caught exception in launch (see debug for traceback): {error}"
                    self.__logger.error(message)
                    self.__return_code = 1
                    self.__begin_shutdown(message)
            if self.__next_event is not None:
                self.__next_event.cancel()
        return self.__return_code

    async def __step(self) -> None:
        """Process the next event, or wait until the work of some entity is over."""
        if self.__next_event is None:
            self.__next_event = self.__loop.create_task(self.__context.event_queue.get())
        next_event = self.__next_event
        done, _ = await asyncio.wait(
            [next_event, *self.__futures], return_when=asyncio.FIRST_COMPLETED
        )
        if next_event in done:
            self.__next_event = None
            self.__process(next_event.result())
        else:
            for future in done:
                future.result()

    def __process(self, event: Event) -> None:
        for handler in tuple(self.__context.event_handlers):
            if not handler.matches(event):
                continue
            self.__context.event = event
            for entity in handler.handle(event, self.__context):
                self.__visit(entity)

    def __visit(self, entity: LaunchDescriptionEntity) -> None:
        """Visit an entity and, depth first, all it yields."""
        if not isinstance(entity, LaunchDescriptionEntity):
            raise RuntimeError(f"expected a LaunchDescriptionEntity, got '{entity}'")
        sub_entities = entity.visit(self.__context)
        future = entity.get_asyncio_future()
        if future is not None:
            self.__futures.append(future)
        for sub_entity in sub_entities or ():
            self.__visit(sub_entity)

    def __is_idle(self) -> bool:
        self.__futures = [future for future in self.__futures if not future.done()]
        return (
            not self.__futures
            and self.__context.event_queue.empty()
            and (self.__next_event is None or not self.__next_event.done())
        )

    def __on_shutdown(self, event: Shutdown, context: LaunchContext) -> None:
        context.is_shutdown = True

    def __begin_shutdown(self, reason: str, *, due_to_sigint: bool = False) -> None:
        if not self.__context.is_shutdown:
            self.__context.is_shutdown = True
            self.__context.emit_event_sync(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    def __on_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGINT:
            message = "user interrupted with ctrl-c (SIGINT)"
            if self.__context.is_shutdown:
                self.__logger.warning(f"{message} again, ignoring...")
                return
            self.__logger.warning(message)
            self.__begin_shutdown("ctrl-c (SIGINT)", due_to_sigint=True)
        else:
            self.__logger.warning(f"received {number.name}, stopping the launched processes...")
            self.__return_code = 1
            self.__begin_shutdown(number.name)

    @contextlib.contextmanager
    def __running(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handled = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
        with self.__loop_lock:
            self.__loop = self.__context.asyncio_loop = loop
        previous = {number: signal.getsignal(number) for number in handled}
        for number in handled:
            loop.add_signal_handler(number, self.__on_signal, number)
        try:
            yield
        finally:
            for number in handled:
                loop.remove_signal_handler(number)
                signal.signal(number, previous[number])
            with self.__loop_lock:
                self.__loop = self.__context.asyncio_loop = None
