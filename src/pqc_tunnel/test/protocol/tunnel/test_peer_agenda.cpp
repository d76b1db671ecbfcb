// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "protocol/tunnel/peer_agenda.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;
using Peers = std::vector<std::size_t>;

constexpr Instant start{1h};

class FivePeers : public testing::Test
{
protected:
  FivePeers() { settle(); }
  // Returns the peers that were looked at.
  Peers settle()
  {
    Peers looked;
    agenda_.settle([&](std::size_t peer) {
      looked.push_back(peer);
      return due_[peer];
    });
    return looked;
  }

  std::vector<Instant> due_{start + 3s, start + 1s, Instant::max(), start + 1s, start + 2s};
  PeerAgenda agenda_{5};
};

TEST_F(FivePeers, are_due_the_earliest_first)
{
  EXPECT_EQ(agenda_.next(), start + 1s);
  EXPECT_EQ(agenda_.take_due(start), Peers());
  EXPECT_EQ(agenda_.take_due(start + 2s), (Peers{1, 3, 4}));
}

TEST_F(FivePeers, are_looked_at_only_if_they_were_due_or_noted)
{
  EXPECT_EQ(settle(), Peers());
  agenda_.note(4);
  agenda_.note(2);
  agenda_.note(4);
  EXPECT_EQ(settle(), (Peers{4, 2}));
  agenda_.take_due(start + 1s);
  EXPECT_EQ(settle(), (Peers{1, 3}));
  agenda_.note_all();
  EXPECT_EQ(settle().size(), 5u);
}

TEST_F(FivePeers, are_due_earlier_but_not_later_without_a_look)
{
  agenda_.bring_forward(4, start + 500ms);
  agenda_.bring_forward(1, start + 4s);
  EXPECT_EQ(agenda_.next(), start + 500ms);
  EXPECT_EQ(settle(), Peers());
  EXPECT_EQ(agenda_.take_due(start + 1s), (Peers{4, 1, 3}));
}

TEST_F(FivePeers, are_due_when_they_were_last_found_to_be)
{
  due_[1] = start + 5s;
  due_[3] = Instant::max();
  due_[2] = start + 1500ms;
  EXPECT_EQ(agenda_.next(), start + 1s) << "nobody has noted it";
  for (const std::size_t peer : {1U, 2U, 3U}) {
    agenda_.note(peer);
  }
  settle();
  EXPECT_EQ(agenda_.next(), start + 1500ms);
  EXPECT_EQ(agenda_.take_due(start + 1h), (Peers{2, 4, 0, 1}));
}

}  // namespace
}  // namespace pqc_tunnel::test
