// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "report.hpp"

#include <openssl/crypto.h>
#include <oqs/oqs.h>

#include <array>
#include <numeric>
#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"

namespace pqc_tunnel::speed
{
namespace
{

constexpr std::array<std::pair<Kind, const char *>, 3> kinds = {
  {{Kind::kem, "kems"}, {Kind::signature, "signatures"}, {Kind::aead, "aeads"}}};
constexpr std::array<std::pair<const char *, double>, 7> percentiles = {
  {{"min_ns", 0.0},
   {"p5_ns", 0.05},
   {"p25_ns", 0.25},
   {"median_ns", 0.5},
   {"p75_ns", 0.75},
   {"p95_ns", 0.95},
   {"max_ns", 1.0}}};

template <class Value>
std::uint64_t sum(std::span<const Subject> subjects, Value value)
{
  std::uint64_t total = 0;
  for (const Subject & subject : subjects) {
    for (const Operation & operation : subject.operations) {
      total += value(operation);
    }
  }
  return total;
}

std::uint64_t timed(const Operation & operation)
{
  return std::uint64_t{operation.samples.count()} * operation.runs_per_sample;
}

std::string operation_json(const Operation & operation)
{
  auto json = cli::JsonWriter::object();
  json.text("operation", operation.name);
  if (operation.text_bytes > 0) {
    json.number("text_bytes", operation.text_bytes);
  }
  json.number("samples", operation.samples.count())
    .number("operations_per_sample", operation.runs_per_sample)
    .number("operations_timed", timed(operation))
    .number("operations_run", operation.done)
    .number("failed", operation.failed)
    .flag("cut", operation.cut);
  for (const auto & [name, share] : percentiles) {
    json.number(name, operation.samples.percentile(share));
  }
  json.number("mean_ns", operation.samples.mean());
  return json.str();
}

std::string subject_json(const Subject & subject)
{
  auto operations = cli::JsonWriter::array();
  for (const Operation & operation : subject.operations) {
    operations.element(operation_json(operation));
  }
  return cli::JsonWriter::object()
    .text("algorithm", subject.token)
    .text("name", subject.name)
    .flag("available", subject.unavailable.empty())
    .text("reason", subject.unavailable)
    .raw("properties", subject.properties())
    .raw("operations", operations.str())
    .str();
}

}  // namespace

std::uint64_t operations_done(std::span<const Subject> subjects)
{
  return sum(subjects, [](const Operation & one) { return one.done; });
}

std::uint64_t operations_failed(std::span<const Subject> subjects)
{
  return sum(subjects, [](const Operation & one) { return one.failed; });
}

std::string report_json(std::span<const Subject> subjects, const RunFacts & facts)
{
  auto json = cli::JsonWriter::object();
  json.number("format", 1)
    .text("liboqs", OQS_version())
    .text("openssl", OpenSSL_version(OPENSSL_VERSION_STRING))
    .number("count", facts.count)
    .number("rounds", facts.rounds)
    .number("seconds_cap", facts.cap_s)
    .number("wall_s", facts.wall_s)
    .number("clock_ns", facts.clock_ns)
    .number("operation_kinds", sum(subjects, [](const Operation &) { return 1U; }))
    .number("samples", sum(subjects, [](const Operation & one) { return one.samples.count(); }))
    .number("operations_timed", sum(subjects, timed))
    .number("operations_run", operations_done(subjects))
    .number("operations_failed", operations_failed(subjects))
    .number(
      "operations_cut", sum(subjects, [](const Operation & one) { return one.cut ? 1U : 0U; }));
  for (const auto & [kind, name] : kinds) {
    auto list = cli::JsonWriter::array();
    for (const Subject & subject : subjects) {
      if (subject.kind == kind) {
        list.element(subject_json(subject));
      }
    }
    json.raw(name, list.str());
  }
  return json.str();
}

}  // namespace pqc_tunnel::speed
