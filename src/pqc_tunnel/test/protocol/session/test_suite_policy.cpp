// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/session/settings.hpp"

// Which suites are allowed, and how two ends that are configured differently are told apart.

namespace pqc_tunnel::test
{
namespace
{

const SuitePolicy all(SecurityLevel::l1, true);
const SuitePolicy strong(SecurityLevel::l3, true);

SuitePolicy first(std::size_t count)
{
  return SuitePolicy(
    std::vector(all.allowed().begin(), all.allowed().begin() + static_cast<std::ptrdiff_t>(count)));
}

TEST(HandshakeMode, has_a_bit_for_each_choice)
{
  for (std::uint8_t bits = 0; bits < 4; ++bits) {
    const HandshakeMode mode{(bits & 1) != 0, (bits & 2) != 0};
    EXPECT_EQ(mode.to_wire(), bits);
    EXPECT_EQ(HandshakeMode::from_wire(bits), mode);
  }
}

TEST(SuitePolicy, allows_experimental_suites_only_if_asked_to)
{
  EXPECT_EQ(all.allowed().size(), registry().all().size());
  const SuitePolicy standard(SecurityLevel::l1, false);
  EXPECT_LT(standard.allowed().size(), all.allowed().size());
  for (const Suite & suite : registry().all()) {
    EXPECT_EQ(standard.allows(suite), !suite.experimental);
  }
}

TEST(SuitePolicy, tells_how_many_suites_a_list_has)
{
  EXPECT_EQ(first(1).description(), "allowed_suites with 1 suite");
  EXPECT_EQ(first(2).description(), "allowed_suites with 2 suites");
}

TEST(Difference, names_what_differs_and_nothing_else)
{
  const HandshakeMode plain;
  const HandshakeMode both{true, true};
  EXPECT_EQ(difference(all, plain, all, plain), "");
  EXPECT_EQ(
    difference(all, both, all, plain),
    "hybrid_x25519 is true there and false here; drone_signature is true there and false here");
  EXPECT_EQ(
    difference(strong, plain, all, plain),
    "min_level 3, allow_experimental true there, min_level 1, allow_experimental true here");
  EXPECT_EQ(
    difference(strong, HandshakeMode{true, false}, all, plain),
    "hybrid_x25519 is true there and false here; min_level 3, allow_experimental true there, "
    "min_level 1, allow_experimental true here");
  EXPECT_EQ(
    difference(std::nullopt, plain, first(1), plain),
    "other allowed_suites or another version there, allowed_suites with 1 suite here");
}

}  // namespace
}  // namespace pqc_tunnel::test
