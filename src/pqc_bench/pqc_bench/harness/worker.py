# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Work in a thread of its own for as long as a block runs."""

import threading
from abc import ABC, abstractmethod
from typing import Self


class Worker(ABC):
    """Works from the beginning of a `with` block to its end."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @abstractmethod
    def _work(self) -> None:
        """Work until `_over` is set."""
