# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop that visits entities and processes events until nothing is left to do."""

from __future__ import annotations

import asyncio
import contextlib
import logging as levels
import signal
import threading
import traceback
from collections.abc import Iterable, Iterator

from . import logging
from .event import Event
from .event_handlers import OnIncludeLaunchDescription, OnShutdown
from .events import IncludeLaunchDescription, Shutdown
from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity
from .utilities import visit_all_entities_and_collect_futures


class LaunchService:
    """Runs launch descriptions; SIGINT and SIGTERM shut it down in an orderly way."""

    def __init__(
        self,
        *,
        argv: Iterable[str] | None = None,
        noninteractive: bool = False,
        debug: bool = False,
    ) -> None:
        logging.launch_config.level = levels.DEBUG if debug else levels.INFO
        self.__debug = debug
        self.__logger = logging.get_logger("launch")
        self.__context = LaunchContext(argv=argv, noninteractive=noninteractive)
        self.__context.register_event_handler(OnIncludeLaunchDescription())
        self.__context.register_event_handler(OnShutdown(on_shutdown=self.__on_shutdown))
        self.__futures: list[tuple[LaunchDescriptionEntity, asyncio.Future]] = []
        self.__loop_lock = threading.RLock()
        self.__loop: asyncio.AbstractEventLoop | None = None
        self.__task: asyncio.Task | None = None
        self.__shutting_down = False
        self.__return_code = 0
        self.__next_event: asyncio.Task[Event] | None = None

    @property
    def context(self) -> LaunchContext:
        """The context shared by all entities."""
        return self.__context

    @property
    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop while running."""
        return self.__loop

    @property
    def task(self) -> asyncio.Task | None:
        """The task of run_async() while running."""
        return self.__task

    def include_launch_description(self, launch_description: LaunchDescription) -> None:
        """Visit a description, now or as soon as the service runs; from any thread."""
        self.emit_event(IncludeLaunchDescription(launch_description))

    def emit_event(self, event: Event) -> None:
        """Queue an event; from any thread."""
        with self.__loop_lock:
            if self.__loop is None or self.__in_loop_thread():
                self.__context.emit_event_sync(event)
            else:
                self.__loop.call_soon_threadsafe(self.__context.emit_event_sync, event)

    def shutdown(self, force_sync: bool = False) -> asyncio.Future | None:
        """Begin to shut down; from any thread. In the loop's thread the result may be awaited."""
        with self.__loop_lock:
            if self.__loop is None:
                return None
            self.__begin_shutdown("LaunchService.shutdown() called")
            if force_sync or not self.__in_loop_thread():
                return None
            done = self.__loop.create_future()
            done.set_result(None)
            return done

    def run(self, *, shutdown_when_idle: bool = True) -> int:
        """Run until everything is done; return 0, or 1 if launching itself failed."""
        return asyncio.run(self.run_async(shutdown_when_idle=shutdown_when_idle))

    async def run_async(self, *, shutdown_when_idle: bool = True) -> int:
        """Like run(), in the running loop of the main thread."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("LaunchService can only be run in the main thread.")
        self.__return_code = 0
        with self.__running():
            logging.log_launch_config(logger=self.__logger)
            while True:
                idle = self.__is_idle()
                if idle and self.__shutting_down:
                    break
                if idle and shutdown_when_idle:
                    self.__begin_shutdown("idle")
                try:
                    await self.__step()
                except asyncio.CancelledError:
                    self.__logger.error("run task was canceled")
                    self.__return_code = 1
                    if self.__shutting_down:
                        break
                    self.__begin_shutdown("run task was canceled")
                except Exception as error:
                    self.__fail(error)
            if self.__next_event is not None:
                self.__next_event.cancel()
                self.__next_event = None
        return self.__return_code

    async def __step(self) -> None:
        """Process the next event, or wait until the work of some entity is over."""
        if self.__next_event is None:
            self.__next_event = self.__loop.create_task(self.__context._event_queue.get())
        next_event = self.__next_event
        futures = [future for _, future in self.__futures]
        done, _ = await asyncio.wait(
            [next_event, *futures, *self.__context._completion_futures],
            return_when=asyncio.FIRST_COMPLETED,
        )
        if next_event in done:
            self.__next_event = None
            self.__process(next_event.result())
        else:
            for future in done:
                future.result()

    def __fail(self, error: Exception) -> None:
        message = f"Caught exception in launch (see debug for traceback): {error}"
        self.__logger.debug("".join(traceback.format_exception(error)))
        self.__logger.error(message)
        self.__return_code = 1
        self.__begin_shutdown(message)

    def __process(self, event: Event) -> None:
        self.__logger.debug(f"processing event: '{event}'")
        for handler in tuple(self.__context._event_handlers):
            if not handler.matches(event):
                continue
            self.__context._push_locals()
            try:
                entities = handler.handle(event, self.__context)
                if not isinstance(entities, Iterable):
                    entities = (entities,)
                for entity in entities:
                    if entity is None:
                        continue
                    if not isinstance(entity, LaunchDescriptionEntity):
                        raise RuntimeError(
                            f"expected a LaunchDescriptionEntity from event_handler, got '{entity}'"
                        )
                    visit_all_entities_and_collect_futures(entity, self.__context, self.__futures)
            finally:
                self.__context._pop_locals()

    def __is_idle(self) -> bool:
        context = self.__context
        self.__futures = [pair for pair in self.__futures if not pair[1].done()]
        context._completion_futures = [f for f in context._completion_futures if not f.done()]
        return (
            not self.__futures
            and not context._completion_futures
            and context._event_queue.empty()
            and (self.__next_event is None or not self.__next_event.done())
        )

    def __on_shutdown(self, event: Event, context: LaunchContext) -> None:
        self.__shutting_down = True
        context._set_is_shutdown(True)

    def __begin_shutdown(self, reason: str, *, due_to_sigint: bool = False) -> None:
        if not self.__shutting_down:
            self.__shutting_down = True
            self.__context._set_is_shutdown(True)
            self.emit_event(Shutdown(reason=reason, due_to_sigint=due_to_sigint))

    def __on_signal(self, number: signal.Signals) -> None:
        if number == signal.SIGINT:
            message = "user interrupted with ctrl-c (SIGINT)"
            if self.__shutting_down:
                self.__logger.warning(f"{message} again, ignoring...")
                return
            self.__logger.warning(message)
            self.__begin_shutdown("ctrl-c (SIGINT)", due_to_sigint=True)
        else:
            self.__logger.warning(f"received {number.name}, stopping the launched processes...")
            self.__return_code = 1
            self.__begin_shutdown(number.name)

    def __in_loop_thread(self) -> bool:
        try:
            return asyncio.get_running_loop() is self.__loop
        except RuntimeError:
            return False

    @contextlib.contextmanager
    def __running(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handled = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
        with self.__loop_lock:
            if self.__loop is not None:
                raise RuntimeError("LaunchService cannot be run multiple times concurrently.")
            self.__use_queue_of(loop)
            self.__loop = loop
            self.__task = asyncio.current_task()
        loop.set_debug(self.__debug)
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
                self.__context._set_asyncio_loop(None)
                self.__loop = None
                self.__task = None
                self.__shutting_down = False

    def __use_queue_of(self, loop: asyncio.AbstractEventLoop) -> None:
        """Move the events emitted before running to a queue of this loop."""
        queue: asyncio.Queue[Event] = asyncio.Queue()
        while not self.__context._event_queue.empty():
            queue.put_nowait(self.__context._event_queue.get_nowait())
        self.__context._event_queue = queue
        self.__context._set_asyncio_loop(loop)
