// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/wire/control_frame.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/identities.hpp"

namespace pqc_tunnel::test
{
namespace
{

constexpr std::uint32_t transaction = 0x01020304;

LinkView example_view()
{
  LinkView view;
  view.window = std::chrono::seconds(2);
  view.packets_per_s = 320.125;
  view.bytes_per_s = 54321;
  view.gap_p95 = std::chrono::microseconds(3210);
  view.longest_silence = std::chrono::milliseconds(150);
  view.jitter = std::chrono::microseconds(17);
  view.loss = 0.015625;
  view.blackouts = 3;
  view.packets = 0x1122334455667788;
  view.lost = 5;
  view.reordered = 6;
  view.duplicates = 7;
  return view;
}

// One of each, in the order of their types on the wire.
std::vector<ControlFrame> one_of_each()
{
  const SuiteWireId id = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5};
  Confirm confirm;
  confirm.mac.fill(0x77);
  Ratchet ratchet;
  ratchet.next_epoch = Epoch{9};
  ratchet.random.fill(0x11);
  ratchet.mac.fill(0x22);
  RatchetOk ok;
  ok.random.fill(0x33);
  ok.mac.fill(0x44);
  Notice notice;
  notice.kind = NoticeKind::decision;
  notice.assign(Bytes{1, 2, 3});
  StreamAck ack;
  ack.id = 0x85;
  ack.newest = 0x1122;
  ack.waited_us = 0x3344;
  ack.through = 0x010203;
  ack.ranges[0] = {0x040506, 0x070809};
  ack.range_count = 1;
  return {
    {transaction, Want{id, StreamLane::third, 0x0a0b0c0d}},
    {transaction, Later{1500}},
    {transaction, confirm},
    {transaction, Abort{AbortReason::in_progress}},
    {0, TimeRequest{-2}},
    {0, TimeResponse{1, 2, 3}},
    {0, LinkReport{example_view()}},
    {0, Keepalive{}},
    {transaction, RekeyRequest{id, true}},
    {transaction, ratchet},
    {transaction, ok},
    {0, ack},
    {0, PathRequest{5}},
    {0, PathResponse{6}},
    {0, Superseded{}},
    {0, notice},
    {0, Wiped{}},
    {transaction, EchoRequest{3}},
    {transaction, EchoResponse{0x80000001, {1, 2, 3}, 2}},
    {transaction, Erase{confirm.mac}},
    {transaction, Erased{Erasure::not_allowed}},
  };
}

// Body sizes, typed anew from the protocol's page.
constexpr std::size_t body_sizes[] = {10, 4, 32, 1, 8, 24, 64, 0, 6,  65, 64,
                                      14, 8, 8,  0, 4, 0,  3,  9, 32, 1};

TEST(ControlFrame, is_type_transaction_and_body)
{
  const Bytes later = {2, 1, 2, 3, 4, 0, 0, 0x05, 0xdc};
  EXPECT_EQ(encode(ControlFrame{transaction, Later{1500}}), later);
  const Bytes want = {1, 1, 2, 3, 4, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 3, 10, 11, 12, 13};
  EXPECT_EQ(encode(one_of_each().front()), want);
  const Bytes ack = {12, 0, 0, 0, 0, 0x85, 0x11, 0x22, 0x33, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(encode(one_of_each().at(11)), ack);
}

TEST(ControlFrame, that_wants_a_prekey_names_a_lane_of_the_background)
{
  Bytes want = encode(one_of_each().front());
  for (const int lane : {0, 1, 2, 3, 4, 0x40, 0xff}) {
    want.at(10) = static_cast<std::uint8_t>(lane);
    EXPECT_EQ(decode_control(want).has_value(), lane >= 1 && lane <= 3) << lane;
  }
}

TEST(ControlFrame, of_every_type_is_read_back_as_it_was_written)
{
  const auto frames = one_of_each();
  ASSERT_EQ(frames.size(), std::size(body_sizes));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Bytes bytes = encode(frames[i]);
    EXPECT_EQ(bytes.size(), 5 + body_sizes[i]) << i;
    EXPECT_EQ(bytes[0], i + 1);
    const auto decoded = decode_control(bytes);
    ASSERT_TRUE(decoded) << i;
    EXPECT_EQ(decoded->transaction, frames[i].transaction);
    EXPECT_EQ(decoded->body.index(), i);
    EXPECT_EQ(encode(*decoded), bytes) << i;
  }
}

TEST(ControlFrame, cut_short_or_too_long_is_ignored)
{
  for (const ControlFrame & frame : one_of_each()) {
    const Bytes bytes = encode(frame);
    if (
      std::holds_alternative<Notice>(frame.body) ||
      std::holds_alternative<EchoRequest>(frame.body) ||
      std::holds_alternative<EchoResponse>(frame.body))
    {
      continue;  // may have several sizes
    }
    const bool has_ranges = std::holds_alternative<StreamAck>(frame.body);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const bool fewer_ranges = has_ranges && size == bytes.size() - 6;
      EXPECT_EQ(decode_control(ByteView(bytes).first(size)).has_value(), fewer_ranges)
        << int{bytes[0]} << ' ' << size;
    }
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_FALSE(decode_control(longer));
  }
}

TEST(ControlFrame, of_an_unknown_type_is_ignored)
{
  for (unsigned type = 0; type < 256; ++type) {
    const Bytes bytes = {static_cast<std::uint8_t>(type), 0, 0, 0, 0};
    // KEEPALIVE, SUPERSEDED, WIPED and ECHO_REQ
    const bool without_body = type == 8 || type == 15 || type == 17 || type == 18;
    EXPECT_EQ(decode_control(bytes).has_value(), without_body) << type;
  }
  // Whatever its size: each of these is that of a known one.
  for (const std::size_t type : {std::size_t{0}, std::size(body_sizes) + 1, std::size_t{255}}) {
    for (const std::size_t size : body_sizes) {
      Bytes bytes(5 + size);
      bytes[0] = static_cast<std::uint8_t>(type);
      EXPECT_FALSE(decode_control(bytes)) << type << ' ' << size;
    }
  }
}

TEST(ControlFrame, of_a_type_without_transactions_is_ignored_if_it_carries_one)
{
  for (ControlFrame frame : one_of_each()) {
    const bool has_transactions = frame.transaction != 0;
    frame.transaction = 1;
    EXPECT_EQ(decode_control(encode(frame)).has_value(), has_transactions) << frame.body.index();
  }
}

TEST(ControlFrame, of_an_echo_is_padded_with_zeros_to_any_length)
{
  for (const std::size_t padding : {0U, 1U, 1417U}) {
    Bytes request(5 + padding);
    request[0] = 18;
    Bytes response(5 + 7 + padding);
    response[0] = 19;
    for (Bytes & bytes : {std::ref(request), std::ref(response)}) {
      ASSERT_TRUE(decode_control(bytes)) << padding;
      EXPECT_EQ(encode(*decode_control(bytes)), bytes);
      if (padding > 0) {
        bytes.back() = 1;
        EXPECT_FALSE(decode_control(bytes)) << padding;
      }
    }
  }
  EXPECT_FALSE(decode_control(Bytes{19, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(Abort, for_an_unknown_reason_is_ignored)
{
  Bytes bytes = encode(ControlFrame{transaction, Abort{}});
  for (unsigned reason = 0; reason < 256; ++reason) {
    bytes.back() = static_cast<std::uint8_t>(reason);
    EXPECT_EQ(decode_control(bytes).has_value(), reason >= 1 && reason <= 6) << reason;
  }
}

TEST(Erased, with_an_unknown_outcome_is_ignored)
{
  Bytes bytes = encode(ControlFrame{transaction, Erased{}});
  for (unsigned outcome = 0; outcome < 256; ++outcome) {
    bytes.back() = static_cast<std::uint8_t>(outcome);
    EXPECT_EQ(decode_control(bytes).has_value(), outcome >= 1 && outcome <= 3) << outcome;
  }
}

TEST(ControlFrame, of_a_notice_has_1_to_64_bytes_beside_its_kind)
{
  Bytes bytes = {16, 0, 0, 0, 0, 200};
  EXPECT_FALSE(decode_control(bytes));
  for (std::size_t size = 1; size <= Notice::max_size; ++size) {
    bytes.push_back(0x55);
    const auto frame = decode_control(bytes);
    ASSERT_TRUE(frame) << size;
    EXPECT_EQ(std::get<Notice>(frame->body).size, size);
  }
  bytes.push_back(0x55);
  EXPECT_FALSE(decode_control(bytes));
}

TEST(RekeyRequest, is_for_a_full_rekey_or_a_ratchet_and_of_an_unknown_kind_ignored)
{
  Bytes bytes;
  for (std::uint8_t kind = 0; kind < 3; ++kind) {
    const RekeyRequest request{{}, kind > 0, kind == 2};
    bytes = encode(ControlFrame{transaction, request});
    EXPECT_EQ(bytes.back(), kind);
    const auto decoded = std::get<RekeyRequest>(decode_control(bytes)->body);
    EXPECT_EQ(decoded.ratchet, request.ratchet);
    EXPECT_EQ(decoded.one_time_key, request.one_time_key);
  }
  bytes.back() = 3;
  EXPECT_FALSE(decode_control(bytes));
}

TEST(RatchetMessage, carries_the_ciphertext_of_an_anchor_whole_or_none)
{
  for (std::size_t size = 0; size < 300; ++size) {
    Ratchet ratchet;
    ratchet.mac.fill(0x22);
    ratchet.anchor = Bytes(size, 0x66);
    const Bytes bytes = encode(ControlFrame{transaction, ratchet});
    EXPECT_EQ(bytes.size(), 5 + 1 + 32 + size + 32);
    const auto decoded = decode_control(bytes);
    const bool known = size == 0 || size == 4 + 96 || size == 4 + 156 || size == 4 + 208;
    ASSERT_EQ(decoded.has_value(), known) << size;
    if (known) {
      EXPECT_EQ(std::get<Ratchet>(decoded->body).anchor, ratchet.anchor);
      EXPECT_EQ(std::get<Ratchet>(decoded->body).mac, ratchet.mac);
    }
  }
}

TEST(StreamAck, names_at_most_sixteen_ranges)
{
  Bytes bytes = {12, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  for (int ranges = 0; ranges <= 16; ++ranges) {
    EXPECT_TRUE(decode_control(bytes)) << ranges;
    bytes.insert(bytes.end(), {0, 0, 9, 0, 0, 1});
  }
  EXPECT_FALSE(decode_control(bytes));
}

TEST(LinkReport, keeps_its_figures_to_the_precision_of_the_wire)
{
  const auto decoded = decode_control(encode(ControlFrame{0, LinkReport{example_view()}}));
  ASSERT_TRUE(decoded);
  const LinkView view = std::get<LinkReport>(decoded->body).view;
  EXPECT_EQ(view.window, std::chrono::seconds(2));
  EXPECT_DOUBLE_EQ(view.packets_per_s, 320.125);
  EXPECT_DOUBLE_EQ(view.bytes_per_s, 54321);
  EXPECT_EQ(view.gap_p95, std::chrono::microseconds(3210));
  EXPECT_EQ(view.longest_silence, std::chrono::milliseconds(150));
  EXPECT_EQ(view.jitter, std::chrono::microseconds(17));
  EXPECT_DOUBLE_EQ(view.loss, 0.015625);
  EXPECT_EQ(view.blackouts, 3u);
  EXPECT_EQ(view.packets, 0x1122334455667788u);
  EXPECT_EQ(view.lost, 5u);
  EXPECT_EQ(view.reordered, 6u);
  EXPECT_EQ(view.duplicates, 7u);
}

TEST(LinkReport, may_end_with_a_question_and_an_answer)
{
  const TimeRequest question{-2};
  const TimeResponse answer{1, 2, 3};
  std::vector<std::size_t> sizes;
  for (const bool asks : {false, true}) {
    for (const bool answers : {false, true}) {
      LinkReport report{example_view()};
      report.question = asks ? std::optional(question) : std::nullopt;
      report.answer = answers ? std::optional(answer) : std::nullopt;
      const Bytes bytes = encode(ControlFrame{0, report});
      sizes.push_back(bytes.size() - 5);
      const auto decoded = decode_control(bytes);
      ASSERT_TRUE(decoded);
      const auto & read = std::get<LinkReport>(decoded->body);
      EXPECT_EQ(encode(*decoded), bytes);
      EXPECT_EQ(read.question ? read.question->t1 : 0, asks ? -2 : 0);
      EXPECT_EQ(read.answer ? read.answer->t3 : 0, answers ? 3 : 0);
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{64, 88, 72, 96}));
  Bytes bytes = encode(ControlFrame{0, LinkReport{example_view()}});
  for (std::size_t size = 65; size < 110; ++size) {
    bytes.push_back(0);
    EXPECT_EQ(decode_control(bytes).has_value(), std::ranges::count(sizes, size) == 1) << size;
  }
}

TEST(LinkReport, saturates_where_a_figure_does_not_fit)
{
  LinkView view;
  view.packets_per_s = 1e12;
  view.bytes_per_s = -1;
  view.loss = std::numeric_limits<double>::quiet_NaN();
  view.longest_silence = std::chrono::hours(24);
  const auto decoded = decode_control(encode(ControlFrame{0, LinkReport{view}}));
  ASSERT_TRUE(decoded);
  const LinkView read = std::get<LinkReport>(decoded->body).view;
  EXPECT_DOUBLE_EQ(read.packets_per_s, 4294967.295);
  EXPECT_DOUBLE_EQ(read.bytes_per_s, 0);
  EXPECT_DOUBLE_EQ(read.loss, 0);
  EXPECT_EQ(read.longest_silence, std::chrono::microseconds(4294967295));
}

}  // namespace
}  // namespace pqc_tunnel::test
