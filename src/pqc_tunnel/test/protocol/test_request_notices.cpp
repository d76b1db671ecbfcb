// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/request_notices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

const HoldRequest hold{false, registry().find("cs-mlkem512-aesgcm-falcon512"), milliseconds(90500)};
const CaptureRequest capture{seconds(30), 250.5, "hover-7.csv"};

TEST(GroundRequest, is_read_back_as_it_was_written)
{
  for (const RequestContent & content :
       {RequestContent{hold}, RequestContent{HoldRequest{true, nullptr, {}}},
        RequestContent{capture}})
  {
    const GroundRequest request{0xdeadbeef, 45, content};
    EXPECT_EQ(ground_request(to_notice(request)), request);
  }
}

TEST(GroundRequest, for_a_suite_that_is_unknown_here_is_no_release)
{
  Notice notice = to_notice(GroundRequest{1, 0, hold});
  notice.bytes.at(6) = 99;
  const auto request = ground_request(notice);
  ASSERT_TRUE(request);
  const auto & read = std::get<HoldRequest>(request->content);
  EXPECT_FALSE(read.release);
  EXPECT_EQ(read.suite, nullptr);
}

TEST(GroundRequest, names_no_suite_if_the_one_to_hold_is_unknown)
{
  const GroundRequest request{1, 0, HoldRequest{false, nullptr, seconds(1)}};
  EXPECT_EQ(ground_request(to_notice(request)), request);
}

TEST(GroundRequest, with_a_rate_that_is_no_number_asks_for_the_highest)
{
  for (const double rate : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    const auto request =
      ground_request(to_notice(GroundRequest{1, 0, CaptureRequest{seconds(1), rate, "a"}}));
    ASSERT_TRUE(request);
    EXPECT_EQ(std::get<CaptureRequest>(request->content).rate_hz, 0);
  }
}

TEST(GroundRequest, with_a_name_that_is_too_long_or_that_no_terminal_shows_means_nothing)
{
  Notice notice = to_notice(GroundRequest{1, 0, CaptureRequest{seconds(1), 0, "name"}});
  const std::size_t name = notice.size - 4;
  ASSERT_TRUE(ground_request(notice));
  Notice nameless = notice;
  nameless.bytes.at(name - 1) = 0;
  EXPECT_FALSE(ground_request(nameless));
  for (const char letter : {'\0', '\x1b', ' ', '\x7f', '\x80', '\xff'}) {
    Notice other = notice;
    other.bytes.at(name) = static_cast<std::uint8_t>(letter);
    EXPECT_FALSE(ground_request(other)) << int{letter};
    EXPECT_NE(name_fault(std::string(1, letter)), "") << int{letter};
  }
  for (const char letter : {'!', '~'}) {
    Notice other = notice;
    other.bytes.at(name) = static_cast<std::uint8_t>(letter);
    EXPECT_TRUE(ground_request(other)) << letter;
  }
  notice = to_notice(GroundRequest{
    1, 0, CaptureRequest{seconds(1), 0, std::string(CaptureRequest::longest_name, 'x')}});
  notice.bytes.at(notice.size++) = 'x';
  notice.bytes.at(name - 1) = CaptureRequest::longest_name + 1;
  EXPECT_FALSE(ground_request(notice));
}

TEST(GroundRequest, with_the_longest_name_fits_and_longer_ones_have_a_fault)
{
  const std::string longest(CaptureRequest::longest_name, 'x');
  EXPECT_EQ(name_fault(longest), "");
  EXPECT_NE(name_fault(longest + "x"), "");
  EXPECT_NE(name_fault(""), "");
  EXPECT_NE(name_fault("two words"), "");
  EXPECT_NE(name_fault("caf\xc3\xa9"), "");
  const GroundRequest request{1, 0, CaptureRequest{seconds(1), 0, longest}};
  EXPECT_EQ(ground_request(to_notice(request)), request);
}

TEST(GroundRequest, cut_short_or_of_an_unknown_kind_means_nothing)
{
  for (const RequestContent & content : {RequestContent{hold}, RequestContent{capture}}) {
    const Notice whole = to_notice(GroundRequest{1, 0, content});
    for (std::size_t size = 0; size < whole.size; ++size) {
      Notice cut = whole;
      cut.size = size;
      EXPECT_FALSE(ground_request(cut)) << size;
    }
    Notice other = whole;
    other.bytes.at(5) = 77;
    EXPECT_FALSE(ground_request(other));
    other = whole;
    other.kind = NoticeKind::answer;
    EXPECT_FALSE(ground_request(other));
    Notice longer = whole;
    longer.bytes.at(longer.size++) = 7;
    EXPECT_TRUE(ground_request(longer)) << "bytes of a later version";
  }
}

TEST(AnswerPiece, is_read_back_as_it_was_written)
{
  const GroundAnswer answer{AnswerState::done, {12000, milliseconds(12345), 51.25}, "Done."};
  const AnswerPiece piece = piece_of(7, answer, 0);
  EXPECT_EQ(piece.part, "Done.");
  EXPECT_EQ(answer_piece(to_notice(piece)), piece);
}

TEST(AnswerPiece, has_what_no_terminal_shows_replaced)
{
  EXPECT_EQ(
    piece_of(7, {AnswerState::refused, {}, "a\x1b[2J\x1f\x7f\x80 ~"}, 0).part, "a?[2J??? ~");
  Notice notice = to_notice(piece_of(7, {AnswerState::refused, {}, "abc"}, 0));
  for (const std::uint8_t hidden : std::initializer_list<std::uint8_t>{0x1b, 0x1f, 0x7f, 0x80}) {
    notice.bytes.at(notice.size - 1) = hidden;
    EXPECT_FALSE(answer_piece(notice)) << int{hidden};
  }
  for (const std::uint8_t shown : std::initializer_list<std::uint8_t>{' ', '~'}) {
    notice.bytes.at(notice.size - 1) = shown;
    EXPECT_TRUE(answer_piece(notice)) << shown;
  }
}

TEST(AnswerPiece, cut_short_of_another_kind_or_without_a_meaning_means_nothing)
{
  const Notice whole = to_notice(piece_of(7, {AnswerState::refused, {}, "abc"}, 0));
  for (std::size_t size = 0; size < whole.size; ++size) {
    Notice cut = whole;
    cut.size = size;
    EXPECT_FALSE(answer_piece(cut)) << size;
  }
  for (const auto & [state, known] :
       {std::pair{0, false}, {1, true}, {2, true}, {3, true}, {4, false}, {255, false}})
  {
    Notice other = whole;
    other.bytes.at(4) = static_cast<std::uint8_t>(state);
    EXPECT_EQ(answer_piece(other).has_value(), known) << state;
  }
  Notice other = whole;
  other.kind = NoticeKind::request;
  EXPECT_FALSE(answer_piece(other));
}

TEST(AnswerPiece, begins_where_it_is_asked_to_even_beyond_the_end)
{
  const GroundAnswer answer{AnswerState::refused, {}, std::string(100, 'x')};
  for (int from = 0; from < 256; ++from) {
    const AnswerPiece piece = piece_of(7, answer, static_cast<std::uint8_t>(from));
    EXPECT_EQ(answer_piece(to_notice(piece)), piece);
    EXPECT_LE(piece.text_from + piece.part.size(), std::max(100, from));
  }
}

TEST(Warning, is_a_notice_of_its_own)
{
  EXPECT_TRUE(is_warning(warning_notice()));
  EXPECT_FALSE(is_warning(to_notice(GroundRequest{1, 0, hold})));
  Notice later = warning_notice();
  later.bytes[0] = 9;
  EXPECT_FALSE(is_warning(later));
  later = warning_notice();
  later.kind = NoticeKind::policy;
  EXPECT_FALSE(is_warning(later));
  Notice empty = warning_notice();
  empty.size = 0;
  EXPECT_FALSE(is_warning(empty));
}

}  // namespace
}  // namespace pqc_tunnel::test
