// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "report.hpp"

#include <openssl/crypto.h>
#include <oqs/oqs.h>

#include <array>
#include <cstdio>
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

// Three significant digits, in a readable unit.
std::string readable(double nanoseconds)
{
  constexpr std::array<std::pair<double, const char *>, 4> units = {
    {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1.0, "ns"}}};
  for (const auto & [size, unit] : units) {
    if (nanoseconds >= size || size == 1.0) {
      const double value = nanoseconds / size;
      const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, unit);
      return text.data();
    }
  }
  return "";
}

std::string pad(const std::string & text, std::size_t width, bool right = true)
{
  const std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string operation_line(const Subject & subject, const Operation & operation)
{
  const std::string size =
    operation.text_bytes > 0 ? " " + std::to_string(operation.text_bytes) + " B" : "";
  std::string line = "  " + pad(subject.name, 26, false) + pad(operation.name + size, 14, false) +
                     pad(std::to_string(timed(operation)), 8);
  for (const double share : {0.5, 0.05, 0.25, 0.75, 0.95, 1.0}) {
    const bool any = operation.samples.count() > 0;
    line += pad(any ? readable(operation.samples.percentile(share)) : "-", 11);
  }
  if (operation.cut) {
    line += "  cut";
  }
  if (operation.failed > 0) {
    line += "  WRONG " + std::to_string(operation.failed) + " times";
  }
  return line + "\n";
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

std::string report_table(std::span<const Subject> subjects, const RunFacts & facts)
{
  std::string text =
    "  " + pad("algorithm", 26, false) + pad("operation", 14, false) + pad("timed", 8);
  for (const char * heading : {"median", "p5", "p25", "p75", "p95", "max"}) {
    text += pad(heading, 11);
  }
  text += "\n";
  for (const Subject & subject : subjects) {
    for (const Operation & operation : subject.operations) {
      text += operation_line(subject, operation);
    }
    if (!subject.unavailable.empty()) {
      text += "  " + pad(subject.name, 26, false) + "unavailable: " + subject.unavailable + "\n";
    }
  }
  text += "\n  " + std::to_string(sum(subjects, timed)) + " operations timed, " +
          std::to_string(operations_done(subjects)) + " run, of " +
          std::to_string(sum(subjects, [](const Operation &) { return 1U; })) + " kinds, in " +
          std::to_string(facts.rounds) + " rounds; " + readable(facts.wall_s * 1e9) + "\n";
  return text;
}

}  // namespace pqc_tunnel::speed
