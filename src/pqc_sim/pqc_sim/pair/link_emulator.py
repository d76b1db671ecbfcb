# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Links between the ends of a tunnel: profiles, and `pqc_link_emulator` as a child process."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import yaml
from pqc_testing.child import die_with_parent, stop

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.programs import link_profiles, tool_program
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary

# The ends reach each other without an emulator between them.
NO_LINK = "none"
_DIRECTIONS = ("drone_to_gcs", "gcs_to_drone")
# A UDP link must carry packets of this size: the tunnel's control frames are as long as every IPv6
# path allows.
_LEAST_UDP_MTU = 1280
_START_S = 60.0


def link_profile(link: str) -> Path | None:
    """Return a link's profile, by its name or as a file; None for "none". RunFault if unknown."""
    if link == NO_LINK:
        return None
    installed = link_profiles()
    profile = installed.get(link, Path(link))
    if not profile.is_file():
        known = ", ".join([NO_LINK, *installed])
        raise RunFault(f"'{link}' is no file, and none of the links {known}")
    return profile


def udp_link_profile(link: str) -> Path | None:
    """Return the profile of a link between UDP sockets, as `link_profile` does.

    RunFault also for a link that carries only the short packets of a serial radio.
    """
    profile = link_profile(link)
    if profile is None:
        return None
    if (mtu := _mtu_bytes(profile)) < _LEAST_UDP_MTU:
        raise RunFault(
            f"'{link}' carries packets of at most {mtu} bytes, as a serial radio does; a UDP link "
            f"of the tunnel needs {_LEAST_UDP_MTU} (for a radio: ./dev demo --links radio)"
        )
    return profile


def fields_by_direction(profile: Path) -> dict[str, Any]:
    """Return the fields of a profile, those of each direction with all that holds for both."""
    fields: dict[str, Any] = yaml.safe_load(profile.read_text(encoding="utf-8"))
    both = fields.pop("both", {})
    return {**fields, **{way: {**both, **fields.get(way, {})} for way in _DIRECTIONS}}


def _mtu_bytes(profile: Path) -> int:
    """Return the smaller limit of both directions. The emulator rejects malformed profiles."""
    try:
        fields = fields_by_direction(profile)
        return min(int(fields[way].get("mtu_bytes", _LEAST_UDP_MTU)) for way in _DIRECTIONS)
    except (OSError, yaml.YAMLError, ValueError, AttributeError, TypeError):
        return _LEAST_UDP_MTU


class LinkEmulator:
    """A link with random loss, and a rate if one is given, in both directions."""

    def __init__(
        self,
        folder: Path,
        loss_percent: float,
        seed: int,
        conditions: dict[str, Any] | None = None,
        profile: dict[str, Any] | None = None,
    ) -> None:
        """Write its profile; `start` runs it. `conditions` are other fields of both directions.

        A whole `profile` takes the place of both.
        """
        self._program = tool_program("pqc_link_emulator")
        self._profile = folder / "link.yaml"
        self._summary = folder / "link.json"
        self._log = folder / "link.log"
        self._seed = seed
        self._process: subprocess.Popen[bytes] | None = None
        profile = profile or {
            "description": "Random loss.",
            "both": {"loss_percent": loss_percent, **(conditions or {})},
        }
        self._profile.write_text(yaml.safe_dump(profile), encoding="utf-8")

    def start(self, listen: Endpoint, forward: Endpoint) -> None:
        """Relay datagrams to `listen` on to `forward`, and back."""
        self.start_between(["--udp-listen", str(listen), "--udp-forward", str(forward)])

    def start_between(self, ends: list[str]) -> None:
        """Relay between the ends that these options of the emulator name."""
        command = [
            *(str(self._program), "--profile", str(self._profile), "--seed", str(self._seed)),
            *("--summary", str(self._summary), *ends),
        ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,
            )
        deadline = time.monotonic() + _START_S
        while not self._summary.is_file():
            if self._process.poll() is not None or time.monotonic() > deadline:
                words = self._log.read_text(encoding="utf-8").strip().splitlines()
                raise RunFault(words[-1] if words else "pqc_link_emulator doesn't start")
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)

    def summary(self) -> dict[str, Any]:
        return read_summary(self._summary) or {}
