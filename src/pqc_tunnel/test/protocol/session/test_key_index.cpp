// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "protocol/session/key_index.hpp"

namespace pqc_tunnel::test
{
namespace
{

using Entry = KeyIndex::Entry;

constexpr FrameKeyId id{7};

std::vector<std::uint32_t> holders(const KeyIndex & index, FrameKeyId of = id)
{
  std::vector<std::uint32_t> peers;
  for (const KeyIndex::Holder & holder : index.find(of)) {
    peers.push_back(static_cast<std::uint32_t>(holder.peer));
  }
  return peers;
}

TEST(KeyIndex, names_all_peers_with_an_id_each_once_and_in_order)
{
  KeyIndex index;
  std::vector<Entry> entries;
  for (const std::uint32_t peer : {9u, 2u, 5u, 2u}) {
    entries.emplace_back(index, id, PeerIndex{peer});
  }
  const Entry lower(index, FrameKeyId{6}, PeerIndex{1});
  const Entry higher(index, FrameKeyId{8}, PeerIndex{3});
  EXPECT_EQ(holders(index), (std::vector<std::uint32_t>{2, 5, 9}));
  EXPECT_EQ(holders(index, FrameKeyId{8}), std::vector<std::uint32_t>{3});
  EXPECT_TRUE(holders(index, FrameKeyId{9}).empty());
}

TEST(KeyIndex, forgets_a_peer_with_the_last_of_its_keys_with_the_id)
{
  KeyIndex index;
  std::optional<Entry> first(std::in_place, index, id, PeerIndex{1});
  std::optional<Entry> second(std::in_place, index, id, PeerIndex{1});
  first.reset();
  EXPECT_EQ(holders(index), std::vector<std::uint32_t>{1});
  second.reset();
  EXPECT_TRUE(holders(index).empty());
}

TEST(KeyIndex, follows_an_entry_that_moves)
{
  KeyIndex index;
  Entry kept(index, id, PeerIndex{1});
  {
    Entry taken(std::move(kept));
    EXPECT_EQ(holders(index), std::vector<std::uint32_t>{1});
    Entry other(index, id, PeerIndex{2});
    kept = std::move(taken);
  }
  EXPECT_EQ(holders(index), std::vector<std::uint32_t>{1});
  kept = Entry();
  EXPECT_TRUE(holders(index).empty());
}

}  // namespace
}  // namespace pqc_tunnel::test
