# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an adversary reads of a flight, by hand-made cases."""

from __future__ import annotations

import pytest
from pqc_learning.closed_loop.exposure import (
    RECORDERS,
    Adversary,
    UsedKeys,
    exposed,
    shares,
    used_keys,
    windows,
)
from pqc_sim.tunnel.chain import KeyEpoch, Secret

LATTICES = frozenset({"lattices"})


def ml_kem(made_s: float) -> Secret:
    return Secret("lattices", "structured", "mlkem768", "ephemeral", made_s)


def frodo(made_s: float) -> Secret:
    return Secret("lattices", "plain", "frodokem976aes", "ephemeral", made_s)


def mceliece(made_s: float, key: str = "ephemeral") -> Secret:
    return Secret("codes", "goppa", "classicmceliece460896", key, made_s)


def flight(*epochs: tuple[Secret, ...], chained: bool = True) -> list[UsedKeys]:
    """Return epochs of 100 s and 100 datagrams each; only the first stands alone, or all do."""
    return [
        UsedKeys(100.0 * n, 100.0 * n + 100.0, 100.0, mixed, chained=bool(n) and chained)
        for n, mixed in enumerate(epochs)
    ]


def read(epochs: list[UsedKeys], stole_s: float) -> tuple[float, float]:
    return exposed(epochs, Adversary(LATTICES, stole_s=stole_s))


def recorded(epochs: list[UsedKeys]) -> dict[str, float]:
    found = {name: exposed(epochs, one) for name, one in RECORDERS.items()}
    return {name: part / total for name, (part, total) in found.items()}


def test_without_an_anchor_who_breaks_lattices_reads_everything() -> None:
    epochs = flight((ml_kem(0.0),), (ml_kem(100.0),), (frodo(200.0),), ())
    assert recorded(epochs) == {"A1": 1.0, "A2": 0.0, "A3": 1.0}


def test_codes_protect_from_their_epoch_on_and_a_ratchet_keeps_them() -> None:
    epochs = flight((ml_kem(0.0),), (mceliece(90.0),), (), (ml_kem(290.0),))
    assert recorded(epochs) == {"A1": 0.25, "A2": 0.0, "A3": 0.25}


def test_a_one_time_anchor_protects_from_all_a_last_resort_one_until_it_is_seized() -> None:
    one_time = flight((mceliece(0.0, "one_time"), ml_kem(0.0)), ())
    last_resort = flight((mceliece(0.0, "last_resort"), ml_kem(0.0)), ())
    assert recorded(one_time) == {"A1": 0.0, "A2": 0.0, "A3": 0.0}
    assert recorded(last_resort) == {"A1": 0.0, "A2": 0.0, "A3": 1.0}
    healed = flight((mceliece(0.0, "last_resort"), ml_kem(0.0)), (mceliece(90.0, "one_time"),))
    assert recorded(healed) == {"A1": 0.0, "A2": 0.0, "A3": 0.5}


def test_codes_alone_are_read_by_who_breaks_codes() -> None:
    epochs = flight((mceliece(0.0),), (), (ml_kem(150.0),))
    assert recorded(epochs)["A2"] == pytest.approx(2 / 3)


def test_a_session_that_stands_alone_has_the_secrets_of_its_own_only() -> None:
    epochs = flight((mceliece(0.0, "one_time"),), (ml_kem(90.0),), chained=False)
    assert recorded(epochs) == {"A1": 0.5, "A2": 0.5, "A3": 0.5}


def test_a_thief_reads_on_through_ratchets_and_what_it_breaks_until_codes() -> None:
    epochs = flight(
        (mceliece(0.0, "one_time"), ml_kem(0.0)), (), (ml_kem(190.0),), (mceliece(290.0),), ()
    )
    assert read(epochs, 50.0) == (250.0, 450.0)
    assert read(epochs, 250.0) == (50.0, 250.0)
    assert read(epochs, 350.0) == (150.0, 150.0)


def test_a_pair_that_was_made_before_the_theft_heals_nothing() -> None:
    epochs = flight((ml_kem(0.0),), (mceliece(40.0),), (mceliece(60.0),))
    assert read(epochs, 50.0) == (150.0, 250.0)
    assert read(epochs, 30.0) == (70.0, 270.0)


def test_one_time_keys_are_no_live_state() -> None:
    epochs = flight((ml_kem(0.0),), (mceliece(0.0, "one_time"),))
    assert read(epochs, 50.0) == (50.0, 150.0)


def test_the_share_after_a_theft_is_the_mean_of_all_moments() -> None:
    epochs = flight((mceliece(0.0, "one_time"), ml_kem(0.0)), (mceliece(100.0, "one_time"),))
    # Until 100 s the thief reads what is left of the first epoch, then of the second.
    part, total = shares(epochs)["A4"]
    assert part / total == pytest.approx(50.0 / 100.0)
    assert total == pytest.approx(100.0)


def test_a_flight_without_datagrams_exposes_none() -> None:
    assert shares([]) == dict.fromkeys(("A1", "A2", "A3", "A4"), (0.0, 0.0))
    assert windows([]) == (0.0, 0.0)


def test_windows_are_the_times_of_traffic_under_one_key() -> None:
    epochs = [*flight((ml_kem(0.0),), ()), UsedKeys(200.0, 260.0, 9.0, ())]
    assert windows([*epochs, UsedKeys(260.0, 900.0, 0.0, ())]) == (pytest.approx(260 / 3), 100.0)


class Air:
    """One datagram a second."""

    def offered(self, start_s: float, end_s: float) -> int:
        return int(end_s) - int(start_s)


def test_epochs_begin_with_the_flight_and_end_with_the_next_one_the_node_or_the_flight() -> None:
    epochs = [
        KeyEpoch(-8.0, (ml_kem(-8.0),), chained=False),
        KeyEpoch(50.0, (), ended_s=60.0),
        KeyEpoch(70.0, (ml_kem(70.0),), chained=False),
    ]
    used = used_keys(epochs, 100.0, (Air(), Air()))  # type: ignore[arg-type]
    assert [(one.began_s, one.ended_s, one.datagrams) for one in used] == [
        (0.0, 50.0, 100.0),
        (50.0, 60.0, 20.0),
        (70.0, 100.0, 60.0),
    ]
