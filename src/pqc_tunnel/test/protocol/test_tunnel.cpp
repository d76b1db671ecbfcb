// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

Bytes numbered(std::uint32_t n, std::size_t size = 40)
{
  Bytes bytes(size, static_cast<std::uint8_t>(n));
  for (std::size_t i = 0; i < 4 && i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
  }
  return bytes;
}

TEST(Tunnel, connects_and_carries_datagrams_unchanged_both_ways)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side from : {Side::drone, Side::gcs}) {
    const Side to = from == Side::drone ? Side::gcs : Side::drone;
    for (std::uint32_t size = 1; size <= 1400; ++size) {
      ASSERT_TRUE(pair.send(from, numbered(size, size)));
      pair.run_for(11ms);
      ASSERT_EQ(pair.received(to).size(), 1u) << size;
      EXPECT_EQ(pair.received(to).front(), numbered(size, size));
      pair.received(to).clear();
    }
  }
}

TEST(Tunnel, rekeys_to_another_suite_without_losing_a_datagram)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  const Suite & next = suite("cs-mlkem768-chacha20poly1305-mldsa65");
  pair.drone().request_rekey(rekey_to(&next), pair.now());
  std::uint32_t sent = 0;
  for (; sent < 1000; ++sent) {
    ASSERT_TRUE(pair.send(Side::drone, numbered(sent)));
    ASSERT_TRUE(pair.send(Side::gcs, numbered(sent)));
    pair.run_for(1ms);
  }
  pair.run_for(50ms);
  for (const Side side : {Side::drone, Side::gcs}) {
    ASSERT_EQ(pair.received(side).size(), sent);
    for (std::uint32_t n = 0; n < sent; ++n) {
      EXPECT_EQ(pair.received(side)[n], numbered(n));
    }
    EXPECT_EQ(pair.snapshot(side).suite, &next);
    EXPECT_EQ(pair.snapshot(side).epoch, Epoch{1});
    EXPECT_EQ(pair.snapshot(side).rekeys, 1u);
  }
  ASSERT_EQ(pair.outcomes(Side::drone).size(), 1u);
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
}

}  // namespace
}  // namespace pqc_tunnel::test
