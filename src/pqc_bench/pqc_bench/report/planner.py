# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses a suite for a fleet from the run's handshakes, as the shipped parameters would.

A plan keeps to what the shipped parameters keep to: their minimum level, algorithms that FIPS
publishes, ciphers as strong as the level. It is the shipped default, unless the figures exclude
that by more than their uncertainty (docs/decisions/0020).

A rekey takes as long as a first handshake if no key pair was generated ahead, otherwise as long as
the rekeys of the run; a plan can be made on either basis. The energy of a rekey is what its work on
the drone adds: one encapsulation and one verification. Key generation and signature are work of the
ground station.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pqc_policy.policy.suites import Suite, find_suite

from pqc_bench.report import names
from pqc_bench.report.analysis import median, phi
from pqc_bench.report.fleet import Fleet
from pqc_bench.report.intervals import SURE, Interval, interval
from pqc_bench.report.run_data import Cell
from pqc_bench.report.shipped import Shipped

# The planner rejects suites whose rekeys take a larger share of the time or of the battery.
MOST_PHI = 0.01
MOST_ENERGY = 0.01
# Below this share of both, a faster suite is no gain.
NO_MATTER = 0.001
# Of a new session: two hellos and Finish. A rekey needs one or, without a prekey, two.
ROUND_TRIPS = 3
# Costs that differ by less count as equal, however small noise and intervals.
LEAST_NOISE = 0.05
_KEY_BITS = {1: 128, 3: 192, 5: 256}


class Basis(StrEnum):
    """The assumed time of a rekey."""

    HANDSHAKE = "handshake"  # a first handshake, without keys made ahead
    REKEY = "rekey"  # the rekeys of the run, with keys made ahead


@dataclass(frozen=True)
class Option:
    """A suite; times in ms, medians of its repetitions."""

    suite: Suite
    key_bits: int  # of the cipher
    handshake_ms: float
    least_ms: float
    most_ms: float
    rekey_ms: float | None  # under traffic, until the new keys were in use
    drone_ms: float | None  # the drone's own work in it: encapsulation and verification
    spread: Interval | None  # of the handshake
    rekey_spread: Interval | None
    drone_spread: Interval | None
    wire_bytes: int
    cell: Cell = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Its display name."""
        return names.suite_name(self.suite.kem, self.suite.signature, self.suite.aead)

    @property
    def level(self) -> int:
        """NIST level."""
        return self.suite.level

    @property
    def family(self) -> str:
        """Token of the KEM's family."""
        return str(self.suite.family)

    @property
    def disturbed(self) -> bool:
        """Whether a sample was disturbed."""
        return self.cell.disturbed

    @property
    def strong_cipher(self) -> bool:
        """Whether the cipher's key is as long as the level requires."""
        return strong_enough(self.key_bits, self.level)

    def time(self, basis: Basis) -> tuple[float | None, Interval | None]:
        """Return the assumed time of a rekey in ms with its interval; None if not measured."""
        if basis is Basis.HANDSHAKE:
            return self.handshake_ms, self.spread
        return self.rekey_ms, self.rekey_spread


@dataclass(frozen=True)
class Forecast:
    """The cost of a suite for a fleet; `ms` is the time of each rekey on its link.

    The energy is None if the run did not time the drone's work.
    """

    option: Option
    ms: float
    interval: Interval | None  # of `ms`
    phi: float
    least_phi: float  # at the lower end of the interval
    rekeys: int
    energy_j: float | None
    energy_interval: Interval | None
    battery_share: float | None

    @property
    def negligible(self) -> bool:
        """Whether a lower cost would be no gain."""
        return max(self.phi, self.battery_share or 0.0) <= NO_MATTER

    @property
    def fits(self) -> bool:
        """Whether it keeps within the limits, as far as the figures can tell."""
        return self.least_phi <= MOST_PHI and (self.battery_share or 0.0) <= MOST_ENERGY

    def as_fast_as(self, fastest: Forecast, noise: float) -> bool:
        """Whether the figures do not show that it is slower.

        Intervals that overlap do not; without 95 % intervals a difference within the noise.
        """
        both = (self.interval, fastest.interval)
        sure = all(one is not None and one.sure >= SURE for one in both)
        if self.ms <= fastest.ms * (1.0 + (LEAST_NOISE if sure else noise)):
            return True
        if self.interval is None or fastest.interval is None:
            return False
        return self.interval.overlaps(fastest.interval)


@dataclass(frozen=True)
class LeftOut:
    """How many suites a plan did not consider, by reason; each counts once."""

    experimental: int = 0
    unpublished: int = 0
    below_level: int = 0
    weak_cipher: int = 0
    unmeasured: int = 0


@dataclass(frozen=True)
class Plan:
    """The proposal, and the suites of equal cost that it was chosen from."""

    fleet: Fleet
    chosen: Forecast | None
    tied: list[Forecast]
    fitting: list[Forecast]
    too_costly: list[Forecast]
    left_out: LeftOut


def options_of(cells: Sequence[Cell]) -> list[Option]:
    """Return the suites of cells with handshakes, the fastest first."""
    return sorted(map(_option, cells), key=lambda option: option.handshake_ms)


def noise_of(options: Sequence[Option]) -> float | None:
    """Return the relative spread of a suite's repetitions: the median over suites.

    None if no suite was repeated.
    """
    spreads = [
        (option.most_ms - option.least_ms) / option.handshake_ms
        for option in options
        if option.spread is not None
    ]
    return median(spreads) if spreads else None


def forecast(option: Option, basis: Basis, fleet: Fleet, core_w: float) -> Forecast | None:
    """Return the cost of an option; the time of a slow link is added to each rekey.

    `core_w` is what a busy core of the drone adds to its power, in W. None if the run did not
    measure the time.
    """
    took_ms, spread = option.time(basis)
    if took_ms is None:
        return None
    link_ms = ROUND_TRIPS * fleet.round_trip_ms
    if fleet.link_kbit_s is not None:
        link_ms += 8.0 * option.wire_bytes / fleet.link_kbit_s
    ms = took_ms + link_ms
    within = None if spread is None else spread.map(lambda one: one + link_ms)
    rekeys = int(fleet.minutes * 60.0 // fleet.rekey_s)

    def energy_j(work_ms: float) -> float:
        return rekeys * core_w * work_ms / 1000.0

    spent_j = None if option.drone_ms is None else energy_j(option.drone_ms)
    return Forecast(
        option=option,
        ms=ms,
        interval=within,
        phi=phi(ms, fleet.rekey_s),
        least_phi=phi(ms if within is None else within.low, fleet.rekey_s),
        rekeys=rekeys,
        energy_j=spent_j,
        energy_interval=option.drone_spread and option.drone_spread.map(energy_j),
        battery_share=None if spent_j is None else spent_j / (3600.0 * fleet.battery_wh),
    )


def plan(
    options: Sequence[Option],
    fleet: Fleet,
    core_w: float,
    noise: float,
    shipped: Shipped,
    ciphers: Sequence[str] = (),
    basis: Basis = Basis.HANDSHAKE,
) -> Plan:
    """Return the proposal: among equal costs the shipped default, then level, bytes, cipher.

    Costs are equal if they are negligible, or if the figures do not show that a suite is slower
    than the fastest. `ciphers` are AEADs in the order of preference; the default wins a tie only
    with the first of them.
    """
    level = max(fleet.level, shipped.min_level)
    reasons = ("experimental", "unpublished", "below_level", "weak_cipher", "unmeasured")
    counts = dict.fromkeys(reasons, 0)
    costs = []
    for option in options:
        cost = forecast(option, basis, fleet, core_w)
        faults = (
            option.suite.experimental,
            not option.suite.published,
            option.level < level,
            not option.strong_cipher,
            cost is None,
        )
        reason = next((name for name, bad in zip(reasons, faults, strict=True) if bad), None)
        if reason is not None:
            counts[reason] += 1
        elif cost is not None:
            costs.append(cost)
    fitting = sorted((cost for cost in costs if cost.fits), key=lambda cost: cost.ms)
    tied = [c for c in fitting if c.negligible or c.as_fast_as(fitting[0], noise)]

    def preference(cost: Forecast) -> tuple[bool, int, int, int, float]:
        suite = cost.option.suite
        place = ciphers.index(suite.aead) if suite.aead in ciphers else len(ciphers)
        default = suite.id == shipped.suite.id and (not ciphers or place == 0)
        return not default, -suite.level, cost.option.wire_bytes, place, cost.ms

    return Plan(
        fleet=fleet,
        chosen=min(tied, key=preference, default=None),
        tied=tied,
        fitting=fitting,
        too_costly=[cost for cost in costs if not cost.fits],
        left_out=LeftOut(**counts),
    )


def strong_enough(key_bits: int, level: int) -> bool:
    """Whether a key is as long as a NIST level requires: AES-128, -192 or -256."""
    return key_bits >= _KEY_BITS[level]


def _option(cell: Cell) -> Option:
    times = cell.all("d_handshake.total_ms")
    rekeys = cell.all("f_rekey.total_ms")
    sizes = ("kem_public_key_bytes", "kem_ciphertext_bytes", "signature_bytes")
    parts = ("e_primitives.encapsulate_ms", "e_primitives.verify_ms")
    timed = [[one.get(part) for part in parts] for one in cell.samples]
    work = [sum(both) for both in timed if None not in both]
    suite = find_suite(cell.suite)
    assert suite is not None
    return Option(
        suite=suite,
        key_bits=cell.get("b_crypto_identity.aead_key_bits") or 0,
        handshake_ms=median(times),
        least_ms=min(times),
        most_ms=max(times),
        rekey_ms=median(rekeys) if rekeys else None,
        drone_ms=median(work) if work else None,
        spread=interval(times),
        rekey_spread=interval(rekeys),
        drone_spread=interval(work),
        wire_bytes=sum(cell.get(f"e_primitives.{name}") or 0 for name in sizes),
        cell=cell,
    )
