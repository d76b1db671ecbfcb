# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from pqc_policy.sensing.traffic.bins import DUPLICATES, REASONS, Bin, Way
from pqc_policy.sensing.traffic.features import FEATURES, vector
from pqc_policy.sensing.traffic.link_now import Pace, PathNow

NO_DROPS = dict.fromkeys((*REASONS, DUPLICATES), 0.0)


def calm(per_s: float) -> Bin:
    """Return a bin of a link that carries so many datagrams each way and loses none."""
    sent = 0.6 * per_s
    way = Way(sent, sent, 0.0, Pace(2.0 / per_s, 0.5, 1.0 / per_s, 100.0))
    return Bin(
        way, way, NO_DROPS, 0.6, 0.0, 0.05, 0.1, 0.5, (PathNow("udp", True, True, None, None),)
    )


def values(newest: Bin) -> dict[str, float]:
    return dict(zip(FEATURES, vector(newest).tolist(), strict=True))


def test_a_bin_of_which_nothing_is_known_has_no_feature() -> None:
    assert vector(Bin()).dtype == np.float32
    assert vector(Bin()).shape == (len(FEATURES),)
    assert np.isnan(vector(Bin())).all()


def test_every_feature_is_known_of_a_bin_with_all_figures_but_unprobed_paths() -> None:
    unknown = {name for name, value in values(calm(50.0)).items() if isnan(value)}
    assert unknown == {"path_loss"}


def test_links_of_20_and_of_4000_datagrams_a_second_differ_in_the_absolute_rates_alone() -> None:
    slow, fast = values(calm(20.0)), values(calm(4000.0))
    differing = {
        name
        for name in FEATURES
        if not isnan(slow[name]) and slow[name] != pytest.approx(fast[name], abs=1e-5)
    }
    assert differing == {"up_sent", "up_received", "down_sent", "down_received"}


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_loss_changes_what_is_delivered_in_its_direction_alone(way: str) -> None:
    lossy = replace(calm(50.0), **{way: Way(9.0, 30.0)})
    other = "down" if way == "up" else "up"
    assert values(lossy)[f"{way}_delivered"] == pytest.approx(0.3)
    assert values(lossy)[f"{other}_delivered"] == 1.0


def test_what_is_lost_in_one_direction_alone_is_uneven() -> None:
    lossy = Way(9.0, 30.0)
    assert values(replace(calm(50.0), up=lossy))["uneven"] == pytest.approx(-0.7)
    assert values(replace(calm(50.0), down=lossy))["uneven"] == pytest.approx(0.7)
    assert values(replace(calm(50.0), up=lossy, down=lossy))["uneven"] == 0.0


def test_strangers_are_counted_whatever_their_datagrams_are_dropped_for() -> None:
    both = NO_DROPS | {"unknown": 20.0, "malformed": 10.0, DUPLICATES: 50.0}
    seen = values(replace(calm(50.0), dropped=both))
    assert 10.0 ** seen["dropped_strange"] - 1.0 == pytest.approx(50.0, rel=0.01)
    assert seen["share_strange"] == pytest.approx(0.5)


def test_a_direction_in_which_nothing_was_sent_has_no_share() -> None:
    assert isnan(values(replace(calm(50.0), up=Way(0.0, 0.0)))["up_delivered"])


@pytest.mark.parametrize("reason", [*REASONS, DUPLICATES])
def test_each_reason_for_a_drop_has_a_rate_of_its_own(reason: str) -> None:
    before, after = calm(50.0), replace(calm(50.0), dropped=NO_DROPS | {reason: 60.0})
    changed = {name for name in FEATURES if values(before)[name] != values(after)[name]}
    assert f"dropped_{reason}" in changed
    together = set() if reason == DUPLICATES else {"dropped_strange", "share_strange"}
    own = {f"dropped_{reason}", f"share_{reason}"}
    assert changed <= own | together | {"path_loss"}  # NaN is never equal
    assert together <= changed
    assert values(after)[f"dropped_{reason}"] == pytest.approx(2.0, abs=0.01)


def test_a_link_that_is_down_and_one_that_loses_probes_show() -> None:
    paths = (PathNow("lte", False, False, 0.05, 0.4), PathNow("radio", True, True, 0.1, 0.1))
    seen = values(replace(calm(50.0), paths=paths))
    assert (seen["paths_up"], seen["path_loss"]) == (0.5, pytest.approx(0.4))


def test_ages_are_bounded() -> None:
    seen = values(replace(calm(50.0), heard_s=1e6, report_s=1e6))
    assert seen["heard"] == seen["report"] == 10.0
