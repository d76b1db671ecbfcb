# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite a fleet should fly.

KEM and signature determine the cost of a handshake, the cipher has no part in it. The planner
therefore uses the median over the ciphers, and takes their spread as the noise.

A rekey costs as much as a first handshake if no key pair was generated ahead, otherwise as much as
the rekeys of the run. A plan can be made on either basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pqc_bench.report import names
from pqc_bench.report.analysis import Interval, group, interval, median, phi
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.run_data import Cell

# The planner rejects suites whose rekeys take a larger share of the time or of the battery.
MOST_PHI = 0.01
MOST_ENERGY = 0.01
# Below this share of both, a faster suite is no gain.
NO_MATTER = 0.001
# Of a new session: two hellos and Finish. A rekey needs one or, without a prekey, two.
ROUND_TRIPS = 3
# Costs that differ by less count as equal, however small the noise.
LEAST_NOISE = 0.05
_KEY_BITS = {1: 128, 3: 192, 5: 256}


class Basis(StrEnum):
    """The assumed cost of a rekey."""

    HANDSHAKE = "handshake"  # a first handshake, without keys made ahead
    REKEY = "rekey"  # the rekeys of the run, with keys made ahead


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
    spread: Interval | None  # of the handshake
    rekey_spread: Interval | None
    wire_bytes: int
    cells: list[Cell] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Its display name."""
        return names.suite_name(self.kem, self.signature)

    @property
    def disturbed(self) -> bool:
        """Whether any of its cells was disturbed."""
        return any(cell.disturbed for cell in self.cells)

    def cost_ms(self, basis: Basis) -> float | None:
        """Return the assumed cost of a rekey in ms; None if the run did not measure it."""
        return self.handshake_ms if basis is Basis.HANDSHAKE else self.rekey_ms


@dataclass(frozen=True)
class Forecast:
    """The cost of a suite for a fleet; `ms` is the time of each rekey on its link."""

    option: Option
    ms: float
    phi: float
    rekeys: int
    energy_j: float
    battery_share: float

    @property
    def negligible(self) -> bool:
        """Whether a lower cost would be no gain."""
        return max(self.phi, self.battery_share) <= NO_MATTER

    @property
    def fits(self) -> bool:
        """Whether it keeps within the limits."""
        return self.phi <= MOST_PHI and self.battery_share <= MOST_ENERGY


@dataclass(frozen=True)
class Plan:
    """The proposal, and the suites of equal cost that it was chosen from."""

    fleet: Fleet
    chosen: Forecast | None
    tied: list[Forecast]
    fitting: list[Forecast]
    too_costly: list[Forecast]
    experimental: int
    below_level: int
    unmeasured: int


def options_of(cells: Sequence[Cell]) -> list[Option]:
    """Return the options in cells with handshakes, the fastest first."""
    found = [_option(list(of_pair)) for of_pair in group(cells, lambda cell: cell.pair).values()]
    return sorted(found, key=lambda option: option.handshake_ms)


def noise_of(options: Sequence[Option]) -> float | None:
    """Return the relative spread of handshakes that should be equal: the median over options.

    None if no option has two samples.
    """
    spreads = [
        (option.most_ms - option.least_ms) / option.handshake_ms
        for option in options
        if option.spread is not None
    ]
    return median(spreads) if spreads else None


def forecast(option: Option, cost_ms: float, fleet: Fleet, power_w: float) -> Forecast:
    """Return the cost of an option; the time of a slow link is added to each rekey."""
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
    """Return the proposal: among equal costs the highest level, then the fewest bytes.

    Costs are equal if they are negligible, or as low as the lowest within the noise. Experimental
    KEMs are left out.
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
    """Whether a key is as long as a NIST level requires: AES-128, -192 or -256."""
    return key_bits >= _KEY_BITS[level]


def _preference(cost: Forecast) -> tuple[int, int, float]:
    return -cost.option.level, cost.option.wire_bytes, cost.ms


def _option(cells: list[Cell]) -> Option:
    times = [ms for cell in cells for ms in cell.all("d_handshake.total_ms")]
    rekeys = [ms for cell in cells for ms in cell.all("f_rekey.total_ms")]
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
        spread=interval(times),
        rekey_spread=interval(rekeys),
        wire_bytes=sum(one.get(f"e_primitives.{name}") or 0 for name in sizes),
        cells=cells,
    )
