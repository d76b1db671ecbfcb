# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes registers of a device on an I²C bus, through the kernel's character device."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

_I2C_SLAVE = 0x0703  # linux/i2c-dev.h: the address that reads and writes go to


class I2cDevice:
    """One address on one bus; raises OSError if there is no such bus or it does not answer."""

    def __init__(self, bus: Path, address: int) -> None:
        self._file = os.open(bus, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(self._file, _I2C_SLAVE, address)
        except OSError:
            os.close(self._file)
            raise

    def read_word(self, register: int) -> int:
        """Return the 16 bits of a register, most significant byte first."""
        os.write(self._file, bytes((register,)))
        word = os.read(self._file, 2)
        if len(word) != 2:
            raise OSError("the device sent less than a word")
        return int.from_bytes(word, "big")

    def write_word(self, register: int, word: int) -> None:
        """Set the 16 bits of a register."""
        os.write(self._file, bytes((register, *word.to_bytes(2, "big"))))

    def close(self) -> None:
        os.close(self._file)
