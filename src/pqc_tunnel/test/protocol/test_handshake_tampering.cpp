// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "support/traffic.hpp"

// An attacker on the network changes, cuts, crosses, reflects and repeats handshake messages. A tampered handshake must
// end without keys, the next try must succeed, and no suite must be blacklisted.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options fast_suite(HandshakeMode mode = {})
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  options.settings.mode = mode;
  options.latency = 1ms;
  return options;
}

const Suite & another_suite() { return suite("cs-mlkem512-chacha20poly1305-mldsa44"); }

// Bytes that each side streams during `act`.
template <class Action>
std::map<Side, std::size_t> bytes_streamed(WiredPair & pair, Action && act)
{
  const std::size_t before = pair.streamed().size();
  act();
  std::map<Side, std::size_t> sizes;
  for (std::size_t i = before; i < pair.streamed().size(); ++i) {
    sizes[pair.streamed()[i].first] += pair.streamed()[i].second.size();
  }
  return sizes;
}

// Changes the byte at `offset` of what `side` streams from now on, once.
WiredPair::Filter flip(Side side, std::size_t offset, std::uint8_t mask)
{
  return [=, passed = std::size_t{0}](Side from, Bytes & bytes) mutable {
    if (from == side) {
      if (passed <= offset && offset < passed + bytes.size()) {
        bytes[offset - passed] ^= mask;
      }
      passed += bytes.size();
    }
    return true;
  };
}

void expect_flips_are_survived_by_a_first_handshake(HandshakeMode mode, std::size_t stride)
{
  WiredPair unspoilt(fast_suite(mode));
  const auto sizes = bytes_streamed(unspoilt, [&] { ASSERT_TRUE(unspoilt.establish()); });
  for (const Side side : both_sides) {
    for (std::size_t offset = 0; offset < sizes.at(side); offset += stride) {
      WiredPair pair(fast_suite(mode));
      pair.set_stream_filter(flip(side, offset, static_cast<std::uint8_t>(1u << offset % 8)));
      ASSERT_TRUE(pair.establish()) << offset;
      ASSERT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 1u) << offset;
      ASSERT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u) << offset;
      // Only where nothing but the last message is spoilt has the GCS had keys.
      const bool last_message = side == Side::gcs && offset >= sizes.at(side) - 44;
      ASSERT_EQ(pair.count(Side::gcs, EventKind::handshake_completed), last_message ? 2u : 1u)
        << offset;
    }
  }
}

TEST(FirstHandshake, with_any_byte_changed_yields_no_keys_and_is_repeated)
{
  expect_flips_are_survived_by_a_first_handshake({}, 1);
}

TEST(FirstHandshake, in_hybrid_mutual_mode_with_any_byte_changed_yields_no_keys_and_is_repeated)
{
  expect_flips_are_survived_by_a_first_handshake({true, true}, 5);
}

TEST(Rekey, with_any_byte_of_its_handshake_changed_is_repeated_and_blames_no_suite)
{
  const auto rekey = [](WiredPair & pair) {
    pair.drone().request_rekey(rekey_to(&another_suite()), pair.now());
    return pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); });
  };
  WiredPair unspoilt(fast_suite());
  ASSERT_TRUE(unspoilt.establish());
  const auto sizes = bytes_streamed(unspoilt, [&] { ASSERT_TRUE(rekey(unspoilt)); });
  for (const Side side : both_sides) {
    for (std::size_t offset = 0; offset < sizes.at(side); ++offset) {
      WiredPair pair(fast_suite());
      ASSERT_TRUE(pair.establish());
      pair.set_stream_filter(flip(side, offset, static_cast<std::uint8_t>(0x80u >> offset % 8)));
      ASSERT_TRUE(rekey(pair)) << offset;
      ASSERT_TRUE(pair.outcomes(Side::drone).front().success)
        << offset << ' ' << pair.outcomes(Side::drone).front().message;
      ASSERT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 1u) << offset;
      ASSERT_EQ(pair.snapshot(Side::drone).rollbacks, 0u) << offset;
      ASSERT_TRUE(pair.drone().blacklist(PeerIndex{0}, pair.now()).empty()) << offset;
    }
  }
}

// The n-th piece that `side` streams from now on is cut to `size` bytes, and what follows is lost.
WiredPair::Filter cut_to(Side side, std::size_t piece, std::size_t size)
{
  return [=, seen = std::size_t{0}](Side from, Bytes & bytes) mutable {
    if (from == side && seen++ == piece) {
      bytes.resize(std::min(size, bytes.size()));
      return !bytes.empty();
    }
    return true;
  };
}

TEST(FirstHandshake, with_any_message_truncated_yields_no_keys_and_is_repeated)
{
  WiredPair unspoilt(fast_suite());
  ASSERT_TRUE(unspoilt.establish());
  std::map<Side, std::size_t> piece;
  for (const auto & [side, bytes] : std::vector(unspoilt.streamed())) {
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40) {
      for (const bool hangs_up : {false, true}) {
        WiredPair pair(fast_suite());
        pair.set_stream_filter(
          [&, cut = cut_to(side, piece[side], size)](Side from, Bytes & bytes_sent) mutable {
            const std::size_t before = bytes_sent.size();
            const bool travels = cut(from, bytes_sent);
            if (hangs_up && bytes_sent.size() < before) {
              pair.cut_connections();
            }
            return travels;
          });
        ASSERT_TRUE(pair.establish());
        ASSERT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 1u);
        ASSERT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u);
      }
    }
    ++piece[side];
  }
}

// Handshakes of the same ends, from other runs, piece by piece.
std::vector<std::pair<Side, Bytes>> recorded(std::uint64_t seed)
{
  auto options = fast_suite();
  options.seed = seed;
  WiredPair pair(options);
  EXPECT_TRUE(pair.establish());
  return pair.streamed();
}

TEST(FirstHandshake, with_any_message_replaced_by_that_of_another_handshake_yields_no_keys)
{
  const auto another = recorded(99);
  // The first message is the drone's hello: a replayed one is challenged, and that the drone can't answer.
  for (std::size_t replaced = 0; replaced < another.size(); ++replaced) {
    WiredPair pair(fast_suite());
    pair.set_stream_filter([&, piece = std::size_t{0}](Side from, Bytes & bytes) mutable {
      if (piece++ == replaced) {
        EXPECT_EQ(from, another[replaced].first);
        bytes = another[replaced].second;
      }
      return true;
    });
    ASSERT_TRUE(pair.establish());
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 1u) << replaced;
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u) << replaced;
  }
}

TEST(FirstHandshake, reflected_to_either_end_yields_no_keys)
{
  const auto pieces = recorded(1);
  for (const Side reflecting : both_sides) {
    for (std::size_t replaced = 0; replaced < pieces.size(); ++replaced) {
      if (pieces[replaced].first != reflecting) {
        continue;
      }
      WiredPair pair(fast_suite());
      Bytes latest_of_victim;
      pair.set_stream_filter([&, piece = std::size_t{0}](Side from, Bytes & bytes) mutable {
        if (from != reflecting) {
          latest_of_victim = bytes;
        } else if (piece == replaced && !latest_of_victim.empty()) {
          bytes = latest_of_victim;
        }
        ++piece;
        return true;
      });
      ASSERT_TRUE(pair.establish());
      EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u);
    }
  }
}

TEST(FirstHandshake, with_messages_repeated_or_joined_yields_no_keys_and_is_repeated)
{
  const std::size_t pieces = recorded(1).size();
  for (std::size_t doubled = 0; doubled + 1 < pieces; ++doubled)
  {  // after the last one all is done
    WiredPair pair(fast_suite());
    pair.set_stream_filter([&, piece = std::size_t{0}](Side, Bytes & bytes) mutable {
      if (piece++ == doubled) {
        const Bytes once = bytes;
        bytes.insert(bytes.end(), once.begin(), once.end());
      }
      return true;
    });
    ASSERT_TRUE(pair.establish());
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 1u) << doubled;
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 1u) << doubled;
  }
}

TEST(FirstHandshake, arriving_byte_by_byte_completes)
{
  WiredPair pair(fast_suite());
  ASSERT_TRUE(pair.run_until([&] { return !pair.streamed().empty(); }));
  // The harness hands over whole pieces; a stranger can hand over single bytes.
  const auto connection = pair.connect_stranger();
  ASSERT_TRUE(connection);
  const Bytes hello = pair.streamed().front().second;
  for (const std::uint8_t byte : hello) {
    pair.stranger_sends(*connection, Bytes{byte});
  }
  EXPECT_EQ(pair.stranger_heard(*connection).size(), 4 + hello_retry_size);
}

TEST(Reject, forged_by_a_stranger_is_not_believed)
{
  for (std::uint8_t reason = 1; reason <= 5; ++reason) {
    WiredPair pair(fast_suite());
    ASSERT_TRUE(pair.establish());
    pair.drone().request_rekey(rekey_to(&another_suite()), pair.now());
    bool forged = false;
    pair.set_stream_filter([&](Side from, Bytes & bytes) {
      if (from == Side::gcs && !forged) {
        forged = true;
        Bytes body = encode_reject(RejectReason{reason});
        body.insert(body.end(), 32, 0x5c);
        bytes = with_length(body);
      }
      return true;
    });
    ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
    EXPECT_TRUE(forged);
    EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
    EXPECT_TRUE(pair.drone().blacklist(PeerIndex{0}, pair.now()).empty());
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
