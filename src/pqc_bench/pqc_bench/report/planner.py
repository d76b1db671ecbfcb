# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite a fleet should fly; page.js does the same with a reader's own figures.

A handshake's cost is its KEM's and its signature's: the cipher has no part in it. So what is
planned with is the median over the ciphers, and how much those differ is the noise.

A rekey costs as much as a first handshake where no keys lie ready for it, and otherwise what the
run's rekeys took: the key pairs of slow KEMs are made ahead. Plans are made on either basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pqc_bench.report import names
from pqc_bench.report.figures import group, median, phi
from pqc_bench.report.run_data import Cell

# A suite whose rekeys take a larger share of the time, or of the battery, isn't proposed.
MOST_PHI = 0.01
MOST_ENERGY = 0.01
# Below these shares it makes no difference which suite is the faster.
NO_MATTER = 0.001
# Of a rekey: connecting, the hellos, the finish; without TCP's slow start.
ROUND_TRIPS = 3
# Without several cells of one KEM and signature, or in a very quiet run.
LEAST_NOISE = 0.05
_KEY_BITS = {1: 128, 3: 192, 5: 256}


class Basis(StrEnum):
    """What a rekey is taken to cost."""

    HANDSHAKE = "handshake"  # a first handshake, for which no keys lay ready
    REKEY = "rekey"  # the run's own rekeys, with what lay ready


@dataclass(frozen=True)
class Option:
    """A KEM with a signature algorithm; times in ms, the median over its cells."""

    kem: str
    signature: str
    level: int
    family: str
    signature_family: str
    experimental: bool
    handshake_ms: float
    least_ms: float
    most_ms: float
    rekey_ms: float | None  # under traffic, until the new keys were in use
    wire_bytes: int
    cells: list[Cell] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Its name for people."""
        return names.suite_name(self.kem, self.signature)

    def cost_ms(self, basis: Basis) -> float | None:
        """Return what a rekey is taken to cost; None if the run doesn't tell."""
        return self.handshake_ms if basis is Basis.HANDSHAKE else self.rekey_ms


@dataclass(frozen=True)
class Fleet:
    """What a fleet has and asks for; `link_kbit_s` None: the link as it was measured."""

    name: str
    battery_wh: float
    minutes: float
    level: int
    rekey_s: float
    link_kbit_s: float | None = None
    round_trip_ms: float = 0.0


@dataclass(frozen=True)
class Forecast:
    """What a suite would cost a fleet; `ms` is the time of each rekey on its link."""

    option: Option
    ms: float
    phi: float
    rekeys: int
    energy_j: float
    battery_share: float

    @property
    def negligible(self) -> bool:
        """Whether it takes so little that less is no gain."""
        return max(self.phi, self.battery_share) <= NO_MATTER

    @property
    def fits(self) -> bool:
        """Whether it keeps within the limits."""
        return self.phi <= MOST_PHI and self.battery_share <= MOST_ENERGY


@dataclass(frozen=True)
class Plan:
    """The proposal, and the equals that it was chosen from."""

    fleet: Fleet
    chosen: Forecast | None
    tied: list[Forecast]
    fitting: list[Forecast]
    too_costly: list[Forecast]
    experimental: int
    below_level: int
    unmeasured: int


def options_of(cells: Sequence[Cell]) -> list[Option]:
    """Return the options that cells with handshakes make up, the fastest first."""
    found = [_option(list(of_pair)) for of_pair in group(cells, lambda cell: cell.pair).values()]
    return sorted(found, key=lambda option: option.handshake_ms)


def noise_of(options: Sequence[Option]) -> float:
    """Return by what share handshakes differ that should be equal: the median over options."""
    spreads = [
        (option.most_ms - option.least_ms) / option.handshake_ms
        for option in options
        if len(option.cells) > 1
    ]
    return max(median(spreads), LEAST_NOISE) if spreads else LEAST_NOISE


def forecast(option: Option, cost_ms: float, fleet: Fleet, power_w: float) -> Forecast:
    """Return what an option costs; a slow link's time is added to each rekey."""
    ms = cost_ms + ROUND_TRIPS * fleet.round_trip_ms
    if fleet.link_kbit_s is not None:
        ms += 8.0 * option.wire_bytes / fleet.link_kbit_s
    rekeys = int(fleet.minutes * 60.0 // fleet.rekey_s)
    energy_j = rekeys * power_w * ms / 1000.0
    return Forecast(
        option=option,
        ms=ms,
        phi=phi(ms, fleet.rekey_s),
        rekeys=rekeys,
        energy_j=energy_j,
        battery_share=energy_j / (3600.0 * fleet.battery_wh),
    )


def plan(
    options: Sequence[Option],
    fleet: Fleet,
    power_w: float,
    noise: float,
    basis: Basis = Basis.HANDSHAKE,
) -> Plan:
    """Return the proposal: among equals the highest level, then the fewest bytes.

    Equals cost negligibly little, or are as fast as the fastest within the noise. Experimental KEMs
    are left out.
    """
    settled = [option for option in options if not option.experimental]
    strong = [option for option in settled if option.level >= fleet.level]
    known = [(option, cost_ms) for option in strong if (cost_ms := option.cost_ms(basis))]
    costs = [forecast(option, cost_ms, fleet, power_w) for option, cost_ms in known]
    fitting = sorted((c for c in costs if c.fits), key=lambda cost: cost.ms)
    tied = [c for c in fitting if c.negligible or c.ms <= fitting[0].ms * (1.0 + noise)]
    chosen = min(tied, key=_preference) if tied else None
    return Plan(
        fleet=fleet,
        chosen=chosen,
        tied=tied,
        fitting=fitting,
        too_costly=[cost for cost in costs if not cost.fits],
        experimental=len(options) - len(settled),
        below_level=len(settled) - len(strong),
        unmeasured=len(strong) - len(known),
    )


def strong_enough(key_bits: int, level: int) -> bool:
    """Whether a cipher's key is as long as a NIST level asks for: AES-128, -192 or -256."""
    return key_bits >= _KEY_BITS[level]


def _preference(cost: Forecast) -> tuple[int, int, float]:
    return -cost.option.level, cost.option.wire_bytes, cost.ms


def _option(cells: list[Cell]) -> Option:
    times = [cell.handshake_ms or 0.0 for cell in cells]
    rekeys = [cell.rekey_ms for cell in cells if cell.rekey_ms is not None]
    one = cells[0]
    sizes = ("kem_public_key_bytes", "kem_ciphertext_bytes", "signature_bytes")
    return Option(
        kem=one.kem,
        signature=one.signature,
        level=one.level,
        family=one.family,
        signature_family=one.get("b_crypto_identity.signature_family"),
        experimental=bool(one.get("b_crypto_identity.experimental")),
        handshake_ms=median(times),
        least_ms=min(times),
        most_ms=max(times),
        rekey_ms=median(rekeys) if rekeys else None,
        wire_bytes=sum(one.get(f"e_primitives.{name}") or 0 for name in sizes),
        cells=cells,
    )
