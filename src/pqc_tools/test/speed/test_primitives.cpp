// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <set>

#include "pqc_tunnel/os/clock.hpp"
#include "speed/report.hpp"
#include "speed/rounds.hpp"

namespace pqc_tunnel::speed
{
namespace
{

std::vector<Subject> measured(const std::vector<std::string> & patterns, std::size_t count)
{
  std::vector<Subject> subjects = make_subjects(patterns);
  RoundOptions options;
  options.count = count;
  options.now = monotonic_now;
  run_rounds(subjects, options);
  return subjects;
}

// These programs are tested with liboqs 0.13: returns whether it has the algorithm.
bool is_expected(const Subject & subject)
{
  static const std::set<std::string> newer = {"hqc1", "hqc3", "hqc5"};
  return !newer.contains(subject.token) && !subject.token.starts_with("slhdsa");
}

TEST(Primitives, all_algorithms_are_available)
{
  const auto subjects = make_subjects({});
  EXPECT_EQ(subjects.size(), all_kems().size() + all_signatures().size() + all_aeads().size());
  std::set<std::string> operations;
  for (const Subject & subject : subjects) {
    EXPECT_TRUE(subject.unavailable.empty() || !is_expected(subject)) << subject.unavailable;
    EXPECT_EQ(subject.unavailable.empty(), !subject.operations.empty());
    for (const Operation & operation : subject.operations) {
      operations.insert(subject.token + operation.name + std::to_string(operation.text_bytes));
    }
  }
  const auto absent = static_cast<std::size_t>(std::ranges::count_if(
    subjects, [](const Subject & subject) { return !subject.unavailable.empty(); }));
  EXPECT_EQ(operations.size(), 3 * (subjects.size() - absent) + 5 * all_aeads().size());
}

TEST(Primitives, patterns_select_algorithms_by_their_names_in_suite_ids)
{
  std::vector<std::string> chosen;
  for (const Subject & subject : make_subjects({"mlkem*", "falcon512"})) {
    chosen.push_back(subject.token);
  }
  EXPECT_EQ(chosen, (std::vector<std::string>{"mlkem512", "mlkem768", "mlkem1024", "falcon512"}));
  EXPECT_TRUE(make_subjects({"rsa*"}).empty());
}

TEST(Primitives, fast_ones_of_each_kind_give_right_results)
{
  const auto subjects = measured({"mlkem512", "mldsa44", "falcon512", "aesgcm", "ascon*"}, 3);
  ASSERT_EQ(subjects.size(), 6U);
  EXPECT_EQ(operations_failed(subjects), 0U);
  for (const Subject & subject : subjects) {
    for (const Operation & operation : subject.operations) {
      EXPECT_EQ(operation.samples.count(), 3U);
      EXPECT_GT(operation.samples.percentile(0.0), 0.0) << subject.token << operation.name;
    }
  }
}

TEST(Primitives, more_text_takes_longer_to_seal)
{
  const auto subjects = measured({"ascon128a"}, 5);
  const auto & operations = subjects.at(0).operations;
  EXPECT_GT(operations.at(6).samples.percentile(0.5), operations.at(0).samples.percentile(0.5));
}

TEST(Primitives, the_report_has_sizes_times_and_counts)
{
  const auto subjects = measured({"mlkem768", "falcon512", "chacha20poly1305"}, 2);
  const YAML::Node report = YAML::Load(report_json(subjects, {.count = 2, .rounds = 2}));
  EXPECT_EQ(report["operation_kinds"].as<int>(), 14);
  EXPECT_EQ(report["samples"].as<int>(), 28);
  EXPECT_EQ(report["operations_timed"].as<int>(), 2 * 6 + 2 * 8 * 32);
  EXPECT_EQ(report["operations_failed"].as<int>(), 0);
  const auto kem = report["kems"][0];
  EXPECT_EQ(kem["algorithm"].as<std::string>(), "mlkem768");
  EXPECT_EQ(kem["properties"]["public_key_bytes"].as<int>(), 1184);
  EXPECT_EQ(kem["properties"]["ciphertext_bytes"].as<int>(), 1088);
  EXPECT_EQ(kem["operations"][0]["operation"].as<std::string>(), "keygen");
  EXPECT_GT(kem["operations"][2]["median_ns"].as<double>(), 0.0);
  const auto falcon = report["signatures"][0]["properties"];
  EXPECT_TRUE(falcon["signature_variable"].as<bool>());
  EXPECT_LE(falcon["signature_longest_bytes"].as<int>(), falcon["signature_max_bytes"].as<int>());
  const auto aead = report["aeads"][0]["operations"];
  EXPECT_EQ(aead[6]["text_bytes"].as<int>(), 4096);
}

}  // namespace
}  // namespace pqc_tunnel::speed
