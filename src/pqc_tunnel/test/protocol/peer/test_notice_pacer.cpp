// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/peer/notice_pacer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t line_bytes = 100;

Notice notice_of(NoticeKind kind, std::uint8_t content)
{
  Notice notice;
  notice.kind = kind;
  notice.assign(Bytes{content});
  return notice;
}

// Offers a report of each kind every second, as a drone does, and counts what leaves.
struct Reports
{
  NoticePacer pacer;
  std::vector<Notice> sent;
  Instant now{seconds(1000)};

  void run_for(Duration time, std::optional<double> share)
  {
    const Instant end = now + time;
    for (int step = 0; now < end; now += milliseconds(100), ++step) {
      if (step % 10 == 0) {
        pacer.offer(notice_of(NoticeKind::computer, static_cast<std::uint8_t>(step / 10)), now);
        pacer.offer(notice_of(NoticeKind::decision, static_cast<std::uint8_t>(step / 10)), now);
      }
      while (const auto notice = pacer.take(now)) {
        sent.push_back(*notice);
        pacer.handle_sent(line_bytes, share, now);
      }
    }
  }
};

TEST(NoticePacer, lets_a_report_of_each_kind_leave_every_second_without_a_known_rate)
{
  Reports reports;
  reports.run_for(seconds(10), std::nullopt);
  EXPECT_EQ(reports.sent.size(), 20u);
}

TEST(NoticePacer, lets_no_more_leave_than_the_share_has_room_for)
{
  Reports reports;
  reports.run_for(seconds(200), 10.0);
  EXPECT_LE(reports.sent.size() * line_bytes, 10.0 * 200 + line_bytes);
  EXPECT_GE(reports.sent.size() * line_bytes, 0.9 * 10.0 * 200);
}

TEST(NoticePacer, lets_the_newest_of_a_kind_leave_and_both_kinds_in_turn)
{
  Reports reports;
  reports.run_for(seconds(100), 10.0);
  ASSERT_GE(reports.sent.size(), 6u);
  for (std::size_t i = 2; i < reports.sent.size(); ++i) {
    EXPECT_NE(reports.sent[i].kind, reports.sent[i - 1].kind);
    EXPECT_GE(reports.sent[i].bytes[0], reports.sent[i - 1].bytes[0] + 9) << "made just before";
  }
}

TEST(NoticePacer, holds_nothing_urgent_back_but_what_follows_it)
{
  NoticePacer pacer;
  const Instant now{seconds(1000)};
  pacer.offer(notice_of(NoticeKind::computer, 1), now);
  ASSERT_TRUE(pacer.take(now));
  pacer.handle_sent(line_bytes, 10.0, now);
  for (const auto kind : {NoticeKind::request, NoticeKind::answer, NoticeKind::warning}) {
    pacer.offer(notice_of(kind, 2), now);
    const auto urgent = pacer.take(now);
    ASSERT_TRUE(urgent);
    EXPECT_EQ(urgent->kind, kind);
    pacer.handle_sent(line_bytes, 10.0, now);
  }
  pacer.offer(notice_of(NoticeKind::computer, 3), now + seconds(39));
  EXPECT_FALSE(pacer.take(now + seconds(39)));
  EXPECT_TRUE(pacer.take(now + seconds(40)));
}

TEST(NoticePacer, lets_an_urgent_notice_leave_before_a_report_that_has_waited_longer)
{
  NoticePacer pacer;
  Instant now{seconds(1000)};
  pacer.offer(notice_of(NoticeKind::request, 1), now);
  ASSERT_TRUE(pacer.take(now));
  now += notice_interval;
  pacer.offer(notice_of(NoticeKind::computer, 2), now);
  pacer.offer(notice_of(NoticeKind::request, 3), now);
  EXPECT_EQ(pacer.take(now)->kind, NoticeKind::request);
  EXPECT_EQ(pacer.take(now)->kind, NoticeKind::computer);
}

TEST(NoticePacer, keeps_an_urgent_notice_however_long_nobody_takes_it)
{
  NoticePacer pacer;
  const Instant now{seconds(1000)};
  for (const auto kind : {NoticeKind::computer, NoticeKind::request}) {
    pacer.offer(notice_of(kind, 1), now);
  }
  const auto notice = pacer.take(now + std::chrono::minutes(1));
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->kind, NoticeKind::request);
  EXPECT_FALSE(pacer.take(now + std::chrono::minutes(1)));
}

TEST(NoticePacer, waits_for_two_minutes_at_most_and_not_at_all_for_a_rate_of_nothing)
{
  const Instant now{seconds(1000)};
  const auto waits = [now](double rate) {
    NoticePacer pacer;
    pacer.handle_sent(line_bytes, rate, now);
    for (Duration waited{};; waited += seconds(1)) {
      pacer.offer(notice_of(NoticeKind::computer, 1), now + waited);
      if (pacer.take(now + waited)) {
        return waited;
      }
    }
  };
  EXPECT_EQ(waits(1e-15), std::chrono::minutes(2));
  EXPECT_EQ(waits(0.1), std::chrono::minutes(2));
  EXPECT_EQ(waits(0), Duration{});
  EXPECT_EQ(waits(-1), Duration{});
}

TEST(NoticePacer, drops_a_report_that_waits_until_it_is_old)
{
  NoticePacer pacer;
  const Instant now{seconds(1000)};
  pacer.handle_sent(line_bytes, 10.0, now);
  pacer.offer(notice_of(NoticeKind::decision, 1), now);
  EXPECT_EQ(pacer.next_timeout(), now + NoticePacer::longest_wait);
  EXPECT_FALSE(pacer.take(now + NoticePacer::longest_wait));
  EXPECT_EQ(pacer.next_timeout(), Instant::max());
  EXPECT_FALSE(pacer.take(now + seconds(100)));
}

TEST(NoticePacer, names_the_time_at_which_the_next_one_may_leave)
{
  NoticePacer pacer;
  const Instant now{seconds(1000)};
  EXPECT_EQ(pacer.next_timeout(), Instant::max());
  pacer.offer(notice_of(NoticeKind::decision, 1), now);
  EXPECT_LE(pacer.next_timeout(), now);
  ASSERT_TRUE(pacer.take(now));
  pacer.handle_sent(line_bytes, 50.0, now);
  pacer.offer(notice_of(NoticeKind::decision, 2), now);
  EXPECT_EQ(pacer.next_timeout(), now + seconds(2));
  EXPECT_FALSE(pacer.take(now + milliseconds(1999)));
  EXPECT_TRUE(pacer.take(now + seconds(2)));
}

TEST(NoticePacer, refuses_kinds_that_are_not_sent)
{
  NoticePacer pacer;
  EXPECT_FALSE(pacer.offer(notice_of(NoticeKind{8}, 1), Instant{}));
}

// Bytes of notices that reach the ground in a minute at a report of each kind a second.
std::size_t arriving_bytes(const LinkSettings & link)
{
  WiredPair::Options options;
  options.settings.paths.links = {link};
  WiredPair pair(options);
  EXPECT_TRUE(pair.establish());
  pair.run_for(seconds(5));
  pair.notices(Side::gcs).clear();
  for (int second = 0; second < 60; ++second) {
    for (const auto kind : {NoticeKind::computer, NoticeKind::decision}) {
      pair.drone().send_message(PeerIndex{0}, notice_of(kind, 1), pair.now());
    }
    pair.pump();
    pair.run_for(seconds(1));
  }
  return pair.notices(Side::gcs).size() * link.line_bytes(25 + 6 + 1);
}

TEST(Notices, take_a_hundredth_of_a_link_of_configured_rate)
{
  const LinkSettings radio{.name = "radio", .rate_kbit = 19.2};  // 2,400 bytes/s
  const std::size_t bytes = arriving_bytes(radio);
  EXPECT_LE(bytes, 0.01 * 2400 * 62);
  EXPECT_GE(bytes, 0.01 * 2400 * 50);
}

TEST(Notices, are_all_sent_on_a_fast_link)
{
  const LinkSettings lan{.name = "lan", .rate_kbit = 100'000};
  EXPECT_GE(arriving_bytes(lan), 118 * lan.line_bytes(30));
}

}  // namespace
}  // namespace pqc_tunnel::test
