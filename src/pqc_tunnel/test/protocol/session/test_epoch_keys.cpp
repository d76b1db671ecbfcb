// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/session/epoch_keys.hpp"

#include <gtest/gtest.h>

#include "support/identities.hpp"
#include "support/pair/session_secrets.hpp"

// The keys of one epoch, alone: which frames they open, and which of these they take for young.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration instantly{1};
constexpr Duration longest_question = 64s;

class Epochs : public testing::Test
{
protected:
  // After the keys are installed.
  static Instant at(Duration time) { return Instant(10'000s) + time; }

  std::unique_ptr<EpochKeys> make(Role role, Instant installed)
  {
    const EpochName name{&suite("cs-mlkem768-aesgcm-mldsa65"), SessionId{{1}}, Epoch{0}};
    return std::make_unique<EpochKeys>(name, role, filled_secrets(7), settings_, installed, clock_);
  }
  // Of the other end, whose clock shows the same.
  Bytes sealed(Duration time)
  {
    Bytes frame(frame_overhead + 4);
    EXPECT_TRUE(sender_->seal(FrameKind::data, frame, at(time)));
    return frame;
  }
  EpochKeys::Opened open(Bytes frame, Duration time)
  {
    return keys_->open(*decode_frame_header(frame), frame, at(time));
  }
  bool is_young(const Bytes & frame, Duration time)
  {
    const auto opened = open(frame, time);
    EXPECT_EQ(opened.drop, std::nullopt);
    return !opened.stale;
  }
  // An answer that arrives at that time, to a question of that one.
  void answer(Duration asked, Duration time)
  {
    keys_->note_answer(open(sealed(asked), time), at(asked), at(time));
  }

  TunnelSettings settings_;
  std::shared_ptr<PeerClock> clock_ = std::make_shared<PeerClock>();
  std::unique_ptr<EpochKeys> sender_ = make(Role::drone, at(0s));
  std::unique_ptr<EpochKeys> keys_ = make(Role::gcs, at(0s));
};

TEST_F(Epochs, open_nothing_more_after_too_many_failed_tags)
{
  settings_.packet_limits.failures = 3;
  keys_ = make(Role::gcs, at(0s));
  const auto drop_of = [&](bool forged) {
    Bytes frame = sealed(1s);
    frame.back() ^= forged ? 1 : 0;
    return open(frame, 1s).drop;
  };
  EXPECT_EQ(drop_of(true), Drop::auth_fail);
  EXPECT_EQ(drop_of(true), Drop::auth_fail);
  EXPECT_EQ(drop_of(false), std::nullopt);
  EXPECT_EQ(drop_of(true), Drop::auth_fail);
  EXPECT_EQ(drop_of(false), Drop::decrypt_fail);
}

TEST_F(Epochs, that_newer_keys_have_replaced_open_nothing_from_the_moment_of_refusal_on)
{
  keys_->refuse_from(at(5s));
  EXPECT_EQ(open(sealed(5s), 5s - instantly).drop, std::nullopt);
  EXPECT_EQ(open(sealed(5s), 5s).drop, Drop::seq_old);
  EXPECT_EQ(open(sealed(6s), 6s).drop, Drop::seq_old);
}

// --- What proves that a frame is young ---

TEST_F(Epochs, take_no_frame_for_young_half_a_period_after_the_last_proof)
{
  EXPECT_TRUE(is_young(sealed(0s), 10ms));
  const Duration half = send_time_period / 2;
  EXPECT_TRUE(is_young(sealed(half - instantly), half - instantly));
  EXPECT_FALSE(is_young(sealed(half), half));
}

// The proof is an answer; a frame with a lower number may be as old as the proof before it.
TEST_F(Epochs, prove_a_frame_that_an_answer_has_overtaken_by_an_older_answer_or_not_at_all)
{
  struct Row
  {
    Duration first;  // answered then; zero: not at all
    Duration second;
    bool is_proven;
  };
  constexpr Duration step = send_time_period / 8;
  for (const Row & row :
       {Row{0s, step + 2s, true}, Row{0s, 2 * step - instantly, true}, Row{0s, 2 * step, false},
        Row{0s, 300s, false}, Row{step, 260s, true}})
  {
    clock_ = std::make_shared<PeerClock>();
    sender_ = make(Role::drone, at(0s));
    keys_ = make(Role::gcs, at(0s));
    EXPECT_TRUE(is_young(sealed(0s), 10ms));
    if (row.first > 0s) {
      answer(row.first, row.first);
    }
    const Bytes overtaken = sealed(row.second);
    answer(row.second, row.second + 20ms);
    EXPECT_EQ(is_young(overtaken, row.second + 30ms), row.is_proven) << row.second.count();
    EXPECT_TRUE(is_young(sealed(row.second + 30ms), row.second + 30ms));
  }
}

TEST_F(Epochs, take_for_an_answer_what_comes_in_time_and_not_before_its_question)
{
  struct Row
  {
    Duration asked;
    Duration time;
    bool counts;
  };
  for (const Row & row :
       {Row{5s, 5s, true}, Row{5s + instantly, 5s, false},
        Row{5s, 5s + longest_question - instantly, true}, Row{5s, 5s + longest_question, false}})
  {
    clock_ = std::make_shared<PeerClock>();
    keys_ = make(Role::gcs, at(0s));
    answer(row.asked, row.time);
    EXPECT_EQ(clock_->answered(), row.counts) << (row.time - row.asked).count();
  }
}

TEST_F(Epochs, prove_with_their_own_age_only_what_comes_soon)
{
  const auto is_known = [&](Duration time) {
    clock_ = std::make_shared<PeerClock>();
    keys_ = make(Role::gcs, at(0s));
    const auto opened = open(sealed(time), time);
    return clock_->is_young(opened.sent, 2 * longest_question, at(time));
  };
  EXPECT_TRUE(is_known(longest_question - instantly));
  EXPECT_FALSE(is_known(longest_question));
}

// WIPED is sealed under keys that this end did not have yet.
TEST_F(Epochs, prove_nothing_with_their_own_age_once_a_question_was_answered)
{
  answer(1s, 1s + 10ms);
  const Bytes before = sealed(5s);
  keys_ = make(Role::gcs, at(10s));
  EXPECT_FALSE(is_young(before, 10s + 10ms));
  EXPECT_TRUE(is_young(sealed(10s), 10s + 10ms));
}

}  // namespace
}  // namespace pqc_tunnel::test
