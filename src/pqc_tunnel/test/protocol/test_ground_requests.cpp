// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "protocol/ground_answerer.hpp"
#include "protocol/ground_asker.hpp"
#include "support/identities.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

const HoldRequest hold{false, registry().find("cs-mlkem512-aesgcm-falcon512"), milliseconds(90500)};
const CaptureRequest capture{seconds(30), 250.5, "hover-7.csv"};

// Both ends with a link between them that may lose each notice.
class Asking : public ::testing::Test
{
protected:
  using Carried = std::function<bool()>;

  // Runs until the next outcome; none within `limit`.
  std::optional<AskOutcome> run(Duration limit, const Carried & carried)
  {
    const Instant end = now + limit;
    for (; now < end; now += milliseconds(50)) {
      while (const auto notice = asker.take_notice(now)) {
        ++asked;
        if (!carried()) {
          continue;
        }
        const auto request = ground_request(*notice);
        const auto taken = answerer.handle_request(*request, now);
        if (taken.is_new) {
          carried_out.push_back(*request);
          begun = now;
        }
        deliver(taken.answer, carried);
      }
      if (begun && now >= *begun + work) {
        begun.reset();
        deliver(answerer.finish(carried_out.back().id, answer), carried);
      }
      if (const auto outcome = asker.take_outcome(now)) {
        return outcome;
      }
    }
    return std::nullopt;
  }

  void deliver(const std::optional<Notice> & notice, const Carried & carried)
  {
    if (notice && carried()) {
      asker.handle_piece(*answer_piece(*notice), now);
    }
  }

  GroundAsker asker{1000};
  GroundAnswerer answerer;
  Instant now{seconds(500)};
  std::optional<Instant> begun;
  Duration work{};
  GroundAnswer answer{AnswerState::done, {}, "The policy holds."};
  std::vector<GroundRequest> carried_out;
  int asked = 0;
};

TEST_F(Asking, is_answered_at_once_on_a_good_link)
{
  const auto id = asker.ask(hold, now);
  const auto outcome = run(milliseconds(100), [] { return true; });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->id, id);
  EXPECT_TRUE(outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(asker.next_timeout(), Instant::max());
}

TEST_F(Asking, of_a_drone_that_never_answers_ends_and_says_so)
{
  asker.ask(hold, now);
  const Instant begin = now;
  const auto outcome = run(seconds(60), [] { return false; });
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->answered);
  EXPECT_EQ(now - begin, GroundAsker::patience);
  EXPECT_LE(asked, 12);
  EXPECT_GE(asked, 8);
}

TEST_F(Asking, carries_a_request_out_once_although_half_of_the_notices_are_lost)
{
  SeededRandom random(7);
  int answered = 0;
  for (int round = 0; round < 50; ++round) {
    answer.text =
      "Round " + std::to_string(round) + std::string(static_cast<std::size_t>(round) * 4, '.');
    const std::size_t before = carried_out.size();
    asker.ask(hold, now);
    const auto outcome = run(seconds(60), [&] { return draw<std::uint8_t>(random) < 128; });
    ASSERT_TRUE(outcome);
    EXPECT_LE(carried_out.size(), before + 1);
    if (outcome->answered) {
      ++answered;
      EXPECT_EQ(outcome->answer, answer);
    }
  }
  EXPECT_GE(answered, 40);
}

TEST_F(Asking, brings_a_long_text_in_pieces)
{
  answer = {AnswerState::refused, {}, std::string(200, 'x') + "end."};
  asker.ask(hold, now);
  const auto outcome = run(seconds(10), [] { return true; });
  ASSERT_TRUE(outcome && outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
  EXPECT_EQ(asked, 5);
}

TEST_F(Asking, waits_for_a_drone_that_has_begun_and_asks_it_now_and_then)
{
  work = seconds(300);
  answer.capture = {30000, seconds(300), 1234.5};
  asker.ask(capture, now);
  const auto outcome = run(seconds(400), [] { return true; });
  ASSERT_TRUE(outcome && outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
  EXPECT_LE(asked, 35);
}

TEST_F(Asking, gives_a_drone_up_that_falls_silent_while_it_works)
{
  work = seconds(300);
  asker.ask(capture, now);
  const Instant begin = now;
  const auto outcome = run(seconds(400), [&] { return now < begin + seconds(20); });
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->answered);
  EXPECT_LE(now - begin, seconds(20) + GroundAsker::patience_under_way);
}

TEST_F(Asking, several_questions_wait_for_each_other_and_too_many_are_refused)
{
  for (std::size_t i = 0; i < GroundAsker::most; ++i) {
    EXPECT_TRUE(asker.ask(hold, now));
  }
  EXPECT_FALSE(asker.ask(hold, now));
  for (std::size_t i = 0; i < GroundAsker::most; ++i) {
    const auto outcome = run(seconds(20), [] { return true; });
    EXPECT_TRUE(outcome && outcome->answered);
  }
  EXPECT_EQ(carried_out.size(), GroundAsker::most);
}

TEST_F(Asking, an_answer_that_comes_late_or_to_another_question_changes_nothing)
{
  const auto id = asker.ask(hold, now);
  asker.handle_piece(piece_of(*id + 1, answer, 0), now);
  EXPECT_FALSE(asker.take_outcome(now));
  asker.handle_piece(piece_of(*id, answer, 0), now);
  asker.handle_piece(piece_of(*id, {AnswerState::under_way, {}, ""}, 0), now);
  const auto outcome = asker.take_outcome(now);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->answer, answer);
}

TEST_F(Asking, an_answer_is_put_together_from_pieces_in_their_order_each_once)
{
  const auto id = asker.ask(hold, now).value();
  const GroundAnswer before{AnswerState::refused, {}, std::string(120, 'x')};
  answer = {AnswerState::refused, {}, std::string(90, 'y') + "end"};
  const auto size_here = [&](const GroundAnswer & of) {
    return static_cast<std::uint8_t>(piece_of(id, of, 0).part.size());
  };
  asker.handle_piece(piece_of(id, before, 0), now);
  asker.handle_piece(piece_of(id, before, 0), now);
  asker.handle_piece(piece_of(id, before, static_cast<std::uint8_t>(2 * size_here(before))), now);
  asker.handle_piece(piece_of(id, before, size_here(before)), now);
  EXPECT_FALSE(asker.take_outcome(now)) << "its end is missing";
  // The drone was started again, and says something else.
  asker.handle_piece(piece_of(id, answer, 0), now);
  asker.handle_piece(piece_of(id, answer, size_here(answer)), now);
  EXPECT_FALSE(asker.take_outcome(now));
  asker.handle_piece(piece_of(id, answer, static_cast<std::uint8_t>(2 * size_here(answer))), now);
  const auto outcome = asker.take_outcome(now);
  ASSERT_TRUE(outcome && outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
}

TEST_F(Asking, a_word_that_it_has_begun_changes_nothing_once_the_answer_has)
{
  const auto id = asker.ask(hold, now).value();
  answer.text = std::string(60, 'x');
  const AnswerPiece head = piece_of(id, answer, 0);
  asker.handle_piece(head, now);
  asker.handle_piece(piece_of(id, {AnswerState::under_way, {}, ""}, 0), now);
  asker.handle_piece(piece_of(id, answer, static_cast<std::uint8_t>(head.part.size())), now);
  const auto outcome = asker.take_outcome(now);
  ASSERT_TRUE(outcome && outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
}

TEST_F(Asking, the_answer_replaces_what_was_said_before_and_nothing_replaces_the_answer)
{
  const auto id = asker.ask(hold, now).value();
  answer.text = "abc";
  asker.handle_piece(piece_of(id, {AnswerState::under_way, {}, "xyz"}, 0), now);
  asker.handle_piece(piece_of(id, answer, 0), now);
  asker.handle_piece(piece_of(id, {AnswerState::refused, {}, "Not so."}, 0), now);
  const auto outcome = asker.take_outcome(now);
  ASSERT_TRUE(outcome && outcome->answered);
  EXPECT_EQ(outcome->answer, answer);
}

TEST_F(Asking, a_request_whose_answer_breaks_off_ends_after_ten_seconds_and_is_repeated_no_more)
{
  const auto id = asker.ask(hold, now).value();
  answer.text = std::string(100, 'x');
  asker.handle_piece(piece_of(id, answer, 0), now);
  const Instant end = now + GroundAsker::patience;
  EXPECT_FALSE(asker.take_outcome(end - milliseconds(1)));
  EXPECT_TRUE(asker.take_notice(end - milliseconds(1)));
  EXPECT_FALSE(asker.take_notice(end + milliseconds(500)));
  const auto outcome = asker.take_outcome(end);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->answered);
  asker.ask(hold, end);
  EXPECT_FALSE(asker.take_notice(end + GroundAsker::patience)) << "at the end";
}

TEST_F(Asking, what_is_answered_is_asked_no_more_and_holds_nothing_up)
{
  EXPECT_FALSE(asker.take_notice(now)) << "nothing was asked";
  EXPECT_EQ(asker.next_timeout(), Instant::max());
  const auto first = asker.ask(hold, now).value();
  const auto second = asker.ask(capture, now).value();
  EXPECT_EQ(asker.next_timeout(), now);
  asker.handle_piece(piece_of(first, answer, 0), now);
  EXPECT_EQ(asker.next_timeout(), Instant{}) << "an outcome waits";
  const auto notice = asker.take_notice(now);
  ASSERT_TRUE(notice);
  EXPECT_EQ(ground_request(*notice)->id, second);
  asker.handle_piece(piece_of(second, answer, 0), now);
  now += GroundAsker::first_pause;
  EXPECT_FALSE(asker.take_notice(now));
  EXPECT_TRUE(asker.take_outcome(now) && asker.take_outcome(now));
  EXPECT_EQ(asker.next_timeout(), Instant::max());
}

TEST(GroundAnswerer, forgets_the_oldest_if_all_are_under_way)
{
  GroundAnswerer answerer;
  Instant now{seconds(500)};
  for (std::uint32_t id = 0; id <= GroundAnswerer::most; ++id, now += seconds(1)) {
    ASSERT_TRUE(answerer.handle_request({id, 0, capture}, now).is_new);
  }
  EXPECT_FALSE(answerer.finish(0, {AnswerState::done, {}, ""}));
  for (std::uint32_t id = 1; id <= GroundAnswerer::most; ++id) {
    EXPECT_TRUE(answerer.finish(id, {AnswerState::done, {}, ""})) << id;
  }
}

TEST(GroundAnswerer, remembers_what_is_under_way_and_forgets_the_oldest_that_has_ended)
{
  GroundAnswerer answerer;
  Instant now{seconds(500)};
  ASSERT_TRUE(answerer.handle_request({1, 0, capture}, now).is_new);
  for (std::uint32_t id = 2; id < 100; ++id) {
    now += seconds(1);
    ASSERT_TRUE(answerer.handle_request({id, 0, hold}, now).is_new);
    ASSERT_TRUE(answerer.finish(id, {AnswerState::done, {}, ""}));
  }
  EXPECT_FALSE(answerer.handle_request({1, 0, capture}, now).is_new);
  EXPECT_FALSE(answerer.finish(2, {AnswerState::done, {}, ""})) << "forgotten";
}

TEST(GroundAnswerer, refuses_what_is_too_much_and_forgets_nothing_for_it)
{
  GroundAnswerer answerer;
  const Instant now{seconds(500)};
  ASSERT_TRUE(answerer.handle_request({1, 0, capture}, now).is_new);
  std::size_t carried_out = 1;
  for (std::uint32_t id = 2; id < 1000; ++id) {
    const auto taken = answerer.handle_request({id, 0, hold}, now);
    carried_out += taken.is_new ? 1 : 0;
    if (!taken.is_new) {
      EXPECT_EQ(answer_piece(*taken.answer)->state, AnswerState::refused);
    }
  }
  EXPECT_EQ(carried_out, GroundAnswerer::most);
  EXPECT_FALSE(answerer.handle_request({1, 0, capture}, now).is_new);
  EXPECT_TRUE(answerer.handle_request({1000, 0, hold}, now + seconds(1)).is_new);
}

}  // namespace
}  // namespace pqc_tunnel::test
