// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "blaster_report.hpp"

#include "pqc_tunnel/command_line/json_writer.hpp"

namespace pqc_tunnel::blaster
{

namespace
{

double milliseconds(Duration duration) { return 1000.0 * in_seconds(duration); }

void add_counts(cli::JsonWriter & json, const WindowCounts & counts)
{
  json.number("sent", counts.sent)
    .number("received", counts.received)
    .number("lost", counts.lost())
    .number("duplicated", counts.duplicated)
    .number("reordered", counts.reordered)
    .number("corrupted", counts.corrupted)
    .number("longest_gap_ms", milliseconds(counts.longest_gap))
    .number("longest_pause_ms", milliseconds(counts.longest_pause))
    .number("longest_latency_ms", milliseconds(counts.longest_latency));
}

std::string distribution_json(const DurationHistogram & durations)
{
  return cli::JsonWriter::object()
    .number("count", durations.count())
    .number("shortest", milliseconds(durations.smallest()))
    .number("mean", milliseconds(durations.mean()))
    .number("p50", milliseconds(durations.percentile(0.5)))
    .number("p90", milliseconds(durations.percentile(0.9)))
    .number("p95", milliseconds(durations.percentile(0.95)))
    .number("p99", milliseconds(durations.percentile(0.99)))
    .number("p999", milliseconds(durations.percentile(0.999)))
    .number("longest", milliseconds(durations.largest()))
    .str();
}

}  // namespace

std::string counts_json(const WindowCounts & counts)
{
  auto json = cli::JsonWriter::object();
  add_counts(json, counts);
  return json.str();
}

std::string direction_json(
  const Flow & flow, const SendSchedule & schedule, const OwnLosses & losses)
{
  auto json = cli::JsonWriter::object();
  add_counts(json, flow.totals());
  json.number("unaccountable", flow.unaccountable())
    .number("refused", losses.refused)
    .number("receiver_drops", losses.receiver_drops)
    .raw("gaps_ms", distribution_json(flow.gaps()))
    .raw("latency_ms", distribution_json(flow.latencies()))
    .number("slips", schedule.slips())
    .number("skipped", schedule.skipped())
    .number("latest_ms", milliseconds(schedule.latest()));
  return json.str();
}

}  // namespace pqc_tunnel::blaster
