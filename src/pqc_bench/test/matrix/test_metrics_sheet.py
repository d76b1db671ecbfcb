# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pqc_bench.metrics.sheet import OverwriteError, Sheet, UnknownMetricError


def test_the_view_of_one_end_never_overwrites_the_other() -> None:
    sheet = Sheet()
    sheet.put("d_handshake.total_ms", 2.0)
    sheet.put("d_handshake.total_ms", 2.0)
    with pytest.raises(OverwriteError, match=r"d_handshake\.total_ms is 2\.0 already, not 3\.0"):
        sheet.put("d_handshake.total_ms", 3.0)


@pytest.mark.parametrize("value", [1.0, None, {"x": 1}])
@pytest.mark.parametrize("path", ["g_data_plane.novel", "novel", "d_handshake.total_ms.novel"])
def test_a_metric_that_the_schema_lacks_is_an_error(path: str, value: object) -> None:
    with pytest.raises(UnknownMetricError, match=f"metrics.schema.json has no {path}"):
        Sheet().put(path, value)


def test_a_member_that_the_schema_lacks_is_an_error() -> None:
    with pytest.raises(UnknownMetricError, match=r"no g_data_plane\.drone\.novel"):
        Sheet().put("g_data_plane.drone", {"novel": 1})


def test_a_new_reason_of_drops_is_kept_by_its_name() -> None:
    sheet = Sheet()
    sheet.put("g_data_plane.drone_drops", {"novel": 2})
    assert sheet.finish("none")["g_data_plane"]["drone_drops"] == {"novel": 2}


def test_whatever_was_not_put_down_is_null_with_the_reason() -> None:
    sheet = Sheet()
    sheet.lack("p_power_energy", "no sensor")
    document = sheet.finish("No source reported it.")
    assert document["p_power_energy"]["energy_j"] is None
    assert document["metric_status"]["p_power_energy.energy_j"] == {
        "status": "unavailable",
        "reason": "no sensor",
    }
    assert document["metric_status"]["d_handshake.total_ms"]["reason"] == "No source reported it."


def test_the_nearest_reason_counts() -> None:
    sheet = Sheet()
    sheet.lack("h_latency_jitter", "far")
    sheet.lack("h_latency_jitter.round_trip", "near")
    status = sheet.finish("none")["metric_status"]
    assert status["h_latency_jitter.round_trip.p50_ms"]["reason"] == "near"
    assert status["h_latency_jitter.drone_to_gcs.p50_ms"]["reason"] == "far"


def test_a_zero_says_whether_it_was_counted_or_measured_or_what_it_means() -> None:
    sheet = Sheet()
    sheet.put("g_data_plane.drone_drops", {"replay": 0, "malformed": 3})
    sheet.put("h_latency_jitter.tunnel.clock_offset_ms", 0.0, "Not reported.")
    sheet.put("a_run_context.link_seed", 0, "There was no emulated link.")
    sheet.zero("a_run_context.link_seed", "It was given as 0.")
    document = sheet.finish("none")
    status = document["metric_status"]
    assert {why["status"] for path, why in status.items() if path in ZEROS} == {"zero"}
    assert {path: status[path]["reason"] for path in ZEROS} == ZEROS
    assert "g_data_plane.drone_drops.malformed" not in status


ZEROS = {
    "g_data_plane.drone_drops.replay": "It was counted, and there was none.",
    "h_latency_jitter.tunnel.clock_offset_ms": "It was measured, and came out as zero.",
    "a_run_context.link_seed": "It was given as 0.",
}


def test_an_odd_value_stays_and_is_explained() -> None:
    sheet = Sheet()
    sheet.put("h_latency_jitter.round_trip.min_ms", -1.0)
    sheet.remark("h_latency_jitter.round_trip.min_ms", "A clock went back.")
    document = sheet.finish("none")
    assert document["h_latency_jitter"]["round_trip"]["min_ms"] == -1.0
    assert document["metric_status"]["h_latency_jitter.round_trip.min_ms"]["status"] == "odd"


def test_what_is_no_number_becomes_null() -> None:
    sheet = Sheet()
    sheet.put("d_handshake.total_ms", float("nan"))
    assert sheet.finish("none")["d_handshake"]["total_ms"] is None
