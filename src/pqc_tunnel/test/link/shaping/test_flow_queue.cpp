// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "link/shaping/shaper.hpp"
#include "shaped_line.hpp"

// What a queue remembers, and how much of it.

namespace pqc_tunnel
{

namespace
{

using namespace std::chrono_literals;
using namespace test;

std::vector<Bytes> sent(Line & line, Duration time)
{
  std::vector<Bytes> all;
  for (auto & [when, bytes] : line.run_until(line.now + time)) {
    all.push_back(std::move(bytes));
  }
  return all;
}

void offer_stream(Line & line, std::size_t parts)
{
  for (std::size_t i = 0; i < parts; ++i) {
    line.shaper.offer_sealed({TrafficClass::stream, {}}, Bytes(240, 9), {}, line.now);
  }
}

// Whether a command of a new sender overtakes what so many others have sent: it does in a flow of its own.
bool overtakes(Line & line, std::uint8_t others)
{
  for (std::uint8_t i = 0; i < others; ++i) {
    line.offer(mavlink(param_value, i, 28, i));
  }
  const Bytes command = mavlink(command_long, 1, 28, 200);
  line.offer(command);
  const auto all = sent(line, 3s);
  EXPECT_EQ(all.size(), others + 1U);
  EXPECT_TRUE(all.front() == command || all.back() == command);
  return all.front() == command;
}

}  // namespace

TEST(FlowQueue, gives_64_senders_a_flow_of_their_own_and_a_further_one_none)
{
  Line line(radio());
  EXPECT_TRUE(overtakes(line, 63));
  EXPECT_FALSE(overtakes(line, 64));
}

TEST(FlowQueue, lets_everything_but_strangers_go_before_the_background)
{
  Line line(radio());
  const auto sealed = [&](TrafficClass traffic, std::uint8_t content) {
    line.shaper.offer_sealed({traffic, {}}, Bytes(60, content), {}, line.now);
  };
  sealed(TrafficClass::unproved, 3);
  sealed(TrafficClass::background, 2);
  sealed(TrafficClass::stream, 1);
  line.offer(Bytes(40, 0));
  const auto all = sent(line, 1s);
  ASSERT_EQ(all.size(), 4U);
  for (std::uint8_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i].front(), i);
  }
}

TEST(FlowQueue, gives_a_part_of_the_background_its_turn_after_300_ms_of_data_but_no_command)
{
  const LinkSettings link = radio();
  const Instant now{1h};
  FlowQueue queue(link, 1s);
  queue.add({Bytes(60, 2), {TrafficClass::background, {}}, Endpoint{}, now}, now);
  EXPECT_EQ(queue.choose(now).rank, FlowQueue::Rank::background);
  EXPECT_TRUE(queue.only_background());
  const Bytes state = mavlink(attitude, 1);
  queue.add({state, classify(state), std::nullopt, now}, now);
  EXPECT_FALSE(queue.only_background());
  EXPECT_EQ(queue.choose(now + 299ms).rank, FlowQueue::Rank::data);
  EXPECT_EQ(queue.choose(now + 300ms).rank, FlowQueue::Rank::overdue);
  const Bytes command = mavlink(command_long, 1, 33, 255);
  queue.add({command, classify(command), std::nullopt, now}, now);
  EXPECT_EQ(queue.choose(now + 499ms).rank, FlowQueue::Rank::urgent);
}

TEST(FlowQueue, a_command_before_a_long_burst_of_its_sender_is_urgent)
{
  const LinkSettings link = radio();
  const Instant now{1h};
  FlowQueue queue(link, 1s);
  const auto add = [&](const Bytes & datagram) {
    queue.add({datagram, classify(datagram), std::nullopt, now}, now);
  };
  add(mavlink(command_long, 0));
  for (std::uint32_t i = 1; i < 300; ++i) {
    add(mavlink(param_value, i));
  }
  EXPECT_EQ(queue.choose(now).rank, FlowQueue::Rank::urgent);
}

TEST(FlowQueue, a_sender_keeps_its_flow_though_there_are_as_many_as_may_be)
{
  Line line(radio());
  for (std::uint8_t i = 0; i < 64; ++i) {
    line.offer(mavlink(param_value, i, 28, i));
  }
  line.offer(mavlink(command_long, 1, 28, 63));
  const auto all = sent(line, 3s);
  ASSERT_EQ(all.size(), 65U);
  EXPECT_EQ(all[0], mavlink(param_value, 63, 28, 63));
  EXPECT_EQ(all[1], mavlink(command_long, 1, 28, 63));
}

TEST(FlowQueue, forgets_senders_that_have_nothing_to_send)
{
  const auto send = [](Line & line, std::uint8_t system) {
    Bytes frame = mavlink(unknown, 1, 28, system);
    frame[6] = 0;  // the component
    line.offer(frame);
    line.run_until(line.now + 60ms);
  };
  Line idle(radio());
  for (std::uint8_t i = 0; i < 100; ++i) {
    send(idle, i);
  }
  EXPECT_TRUE(overtakes(idle, 63));
  // As well while another sender always has something to send.
  Line busy(radio());
  for (std::uint32_t i = 0; i < 200; ++i) {
    for (std::uint32_t j = 0; j < 8; ++j) {
      busy.offer(mavlink(unknown, j, 50, 250));
    }
    send(busy, static_cast<std::uint8_t>(std::min(i, 99U)));
  }
  for (std::uint32_t i = 0; i < 62; ++i) {
    busy.offer(mavlink(param_value, i, 28, static_cast<std::uint8_t>(100 + i)));
  }
  busy.offer(mavlink(command_long, 1, 28, 200));
  EXPECT_EQ(sent(busy, 60ms).front(), mavlink(command_long, 1, 28, 200));
}

TEST(FlowQueue, remembers_what_a_sender_has_had_though_nothing_of_it_waits_for_a_moment)
{
  Line line(radio());
  std::size_t waiting = 0;
  bool large_waits = false;
  double large = 0;
  double small = 0;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    for (; waiting < 30; ++waiting) {
      line.offer(mavlink(unknown, i, 20, 2));
    }
    if (!large_waits) {
      line.offer(mavlink(unknown, i, 190, 3));
      large_waits = true;
    }
    for (const auto & [when, bytes] : line.run_until(line.now + 5ms)) {
      const bool is_large = bytes[5] == 3;
      large_waits = large_waits && !is_large;
      waiting -= is_large ? 0 : 1;
      (is_large ? large : small) += static_cast<double>(bytes.size() + 2);
    }
  }
  EXPECT_GT(large, 0);
  EXPECT_LE(large, 1.05 * small);
}

TEST(FlowQueue, holds_8_kib_of_commands_and_no_more)
{
  Line line(radio());
  for (std::uint32_t i = 0; i < 33; ++i) {
    line.offer(mavlink(command_long, i, 116));  // 256 bytes in memory
  }
  EXPECT_EQ(line.shaper.waiting_memory(TrafficClass::command), 8U * 1024);
  EXPECT_EQ(line.shaper.counts(TrafficClass::command).full, 1U);
}

namespace
{

// Before a command one of two must go: that one of which the queue knows that its kind has left.
bool remembers(Line & line, std::uint32_t message)
{
  line.offer(mavlink(unknown + 1000, 0, 180));
  line.offer(mavlink(message, 0, 180));
  line.offer(mavlink(command_long, 0));
  const auto all = sent(line, 1s);
  EXPECT_EQ(all.size(), 2U);
  return all.front() == mavlink(unknown + 1000, 0, 180);
}

}  // namespace

TEST(FlowQueue, remembers_of_512_kinds_when_they_left_and_then_begins_anew)
{
  for (const std::uint32_t others : {511U, 512U}) {
    Line line(radio());
    for (std::uint32_t i = 0; i <= others; ++i) {
      line.offer(mavlink(unknown + i, 0, 4));
      line.run_until(line.now + 50ms);
    }
    EXPECT_EQ(remembers(line, unknown), others == 511);
  }
}

TEST(FlowQueue, takes_no_memory_for_kinds_that_always_keep_their_place)
{
  Line line(radio());
  line.offer(mavlink(unknown, 0));
  line.run_until(line.now + 50ms);
  for (std::uint32_t i = 0; i < 600; ++i) {
    const DatagramClass kind{TrafficClass::ordered, MessageKey{1, 1, i}, false, MavlinkSender{7}};
    line.shaper.offer_sealed(kind, Bytes(40, 1), {}, line.now);
    line.run_until(line.now + 50ms);
  }
  EXPECT_TRUE(remembers(line, unknown));
}

TEST(FlowQueue, drops_what_is_no_mavlink_before_telemetry)
{
  Line line(radio());
  line.offer(mavlink(unknown, 1));
  line.run_until(line.now + 50ms);
  line.offer(mavlink(unknown, 2, 180));
  line.offer(Bytes(180, 0x55));
  line.offer(mavlink(command_long, 3));
  EXPECT_EQ(
    sent(line, 1s), (std::vector<Bytes>{mavlink(unknown, 2, 180), mavlink(command_long, 3)}));
}

TEST(FlowQueue, of_steering_that_has_left_lately_the_newest_takes_the_last_place)
{
  Line line(radio());
  line.offer(mavlink(manual_control, 1, 11));
  line.run_until(line.now + 50ms);
  for (std::uint32_t i = 2; i < 5; ++i) {
    line.offer(mavlink(param_value, i, 200));
  }
  line.offer(mavlink(manual_control, 5, 11));
  line.offer(mavlink(manual_control, 6, 11));
  EXPECT_EQ(line.shaper.counts(TrafficClass::command).conflated, 1U);
  EXPECT_EQ(sent(line, 1s).back(), mavlink(manual_control, 6, 11));
}

TEST(FlowQueue, streams_push_nothing_of_the_application_out)
{
  Line line(radio());
  offer_stream(line, 5);
  for (std::uint32_t i = 0; i < 3; ++i) {
    line.offer(mavlink(attitude, i));
  }
  line.offer(Bytes(50, 0x55));
  line.offer(mavlink(command_long, 1));
  const auto all = sent(line, 1s);
  EXPECT_EQ(std::ranges::count_if(all, [](const Bytes & one) { return one.size() < 240; }), 5);
}

TEST(FlowQueue, what_is_no_mavlink_waits_neither_for_older_streams_nor_leaves_before_control)
{
  Line line(radio());
  offer_stream(line, 1);
  const Bytes raw(50, 0x55);
  line.offer(raw);
  EXPECT_EQ(sent(line, 200ms), (std::vector<Bytes>{raw, Bytes(240, 9)}));
  line.offer(mavlink(unknown, 1, 200, 1));
  line.offer(mavlink(unknown, 2, 200, 1));
  line.offer(mavlink(param_value, 3, 200, 2));
  line.offer(raw);
  ASSERT_TRUE(line.shaper.next_frame(line.now));
  const Bytes control(60, 1);
  line.shaper.offer_sealed({TrafficClass::control, {}}, control, {}, line.now);
  EXPECT_EQ(sent(line, 1s).front(), control);
}

TEST(FlowQueue, what_is_sealed_waits_for_no_company_and_half_as_long_at_most)
{
  Line line(radio());
  line.shaper.offer_sealed(classify(mavlink(attitude, 1)), Bytes(60, 1), {}, line.now);
  EXPECT_EQ(line.shaper.next_timeout(), line.now);
  EXPECT_TRUE(line.shaper.next_frame(line.now));
  for (const Duration late : {0ns, 1ns}) {
    line.run_until(line.now + 1s);
    line.shaper.offer_sealed({TrafficClass::control, {}}, Bytes(60, 2), {}, line.now);
    line.now += 500ms + late;
    EXPECT_EQ(line.shaper.next_frame(line.now).has_value(), late == 0ns);
  }
}

}  // namespace pqc_tunnel
