// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "crypto/suites/suite.hpp"
#include "node/messages/suite_list.hpp"

namespace pqc_tunnel
{
namespace
{

using pqc_msgs::msg::SuiteInfo;

const ClockPair now{Instant{std::chrono::seconds(50)}, 5'000'000'000'000};
const SuitePolicy everything{SecurityLevel::l1, true};

SuiteInfo find(const std::vector<SuiteInfo> & list, const std::string & id)
{
  const auto found =
    std::find_if(list.begin(), list.end(), [&](const auto & info) { return info.id == id; });
  EXPECT_NE(found, list.end()) << id;
  return found == list.end() ? SuiteInfo{} : *found;
}

TEST(SuiteList, every_suite_of_the_registry_is_listed)
{
  const auto list = suite_list(everything, {}, now);
  ASSERT_EQ(list.size(), registry().all().size());
  EXPECT_EQ(
    std::count_if(
      list.begin(), list.end(), [](const auto & info) { return info.set == SuiteInfo::SET_PAPER; }),
    72);
}

TEST(SuiteList, a_suite_is_described_with_the_names_of_its_algorithms)
{
  const auto info = find(suite_list(everything, {}, now), "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(info.kem, "ML-KEM-768");
  EXPECT_EQ(info.signature, "ML-DSA-65");
  EXPECT_EQ(info.aead, "AES-256-GCM");
  EXPECT_EQ(info.level, 3);
  EXPECT_EQ(info.aead_key_bits, 256);
  EXPECT_FALSE(info.experimental);
  EXPECT_TRUE(info.allowed);
  EXPECT_EQ(info.blacklisted_until.sec, 0);
}

TEST(SuiteList, ascon_is_shown_with_its_128_bit_keys)
{
  const auto info = find(suite_list(everything, {}, now), "cs-mlkem1024-ascon128a-mldsa87");
  EXPECT_EQ(info.level, 5);
  EXPECT_EQ(info.aead_key_bits, 128);
}

TEST(SuiteList, a_suite_below_the_floor_is_listed_with_the_reason)
{
  const SuitePolicy floor{SecurityLevel::l5, true};
  const auto info = find(suite_list(floor, {}, now), "cs-mlkem512-aesgcm-mldsa44");
  EXPECT_FALSE(info.allowed);
  EXPECT_EQ(info.reason, "Not among the suites allowed (min_level, allowed_suites).");
}

TEST(SuiteList, an_experimental_suite_names_the_parameter_that_allows_it)
{
  const SuitePolicy cautious{SecurityLevel::l1, false};
  const auto info = find(suite_list(cautious, {}, now), "cs-hqc128-aesgcm-falcon512");
  EXPECT_TRUE(info.experimental);
  EXPECT_FALSE(info.allowed);
  EXPECT_EQ(info.reason, "Experimental suites are not allowed (allow_experimental).");
}

TEST(SuiteList, a_blacklisted_suite_has_the_end_of_its_blacklisting)
{
  const auto * suite = registry().find("cs-mlkem768-aesgcm-mldsa65");
  const auto list = suite_list(everything, {{suite, now.engine + std::chrono::seconds(60)}}, now);
  EXPECT_EQ(find(list, "cs-mlkem768-aesgcm-mldsa65").blacklisted_until.sec, 5060);
  EXPECT_EQ(find(list, "cs-mlkem768-chacha20poly1305-mldsa65").blacklisted_until.sec, 0);
}

}  // namespace
}  // namespace pqc_tunnel
