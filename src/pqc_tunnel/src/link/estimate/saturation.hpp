// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__SATURATION_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__SATURATION_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "queue_delay.hpp"

namespace pqc_tunnel
{

// Finds the rate of a link that nobody has configured, once this end fills it: its frames wait in a queue, and the peer
// receives less than this end sends. Loss alone, jitter and a longer way are none of that. What looks like it is put to
// the test: this end sends less for a moment, and only if the queue then goes was it its own. Later cuts of the rate are
// tested in the same way, and taken back if they change nothing. Sans-I/O.
class Saturation
{
public:
  enum class State : std::uint8_t
  {
    watching,
    testing,   // whether the queue goes when this end sends less
    limiting,  // it does: this end keeps to the rate, and tries more now and then
  };

  // Of the frames of this end, in bytes on the line per second.
  struct Delivery
  {
    double offered = 0;                // sent here
    double delivered = 0;              // received there
    std::optional<double> streamed{};  // the pace at which streams come over the link, if some have
  };

  // `floor`: bytes per second below which this end is never limited, whatever the link looks like.
  explicit Saturation(double floor) : floor_(floor) {}

  // The one-way delay of a frame of this end, by the clocks of both ends: only differences count.
  void handle_delay(Duration delay, Instant now);
  // The peer has reported its reception.
  void handle_delivery(const Delivery & delivery, Instant now);
  // Bytes per second on the line that this end may send; none while the link is not known to be saturated.
  std::optional<double> rate() const { return rate_; }
  // A key exchange waits for the link. If that seems to be full, this end holds back what is not urgent before anything is
  // tested, until the exchange has ended: its frames would wait behind it, or find no room.
  bool makes_way() const { return makes_way_; }
  // Frames of this end wait in a long queue, or have lately, whoever fills it: small datagrams gain by sharing a frame.
  bool is_crowded(Instant now) const { return now < crowded_until_; }
  void set_exchanging(bool exchanging, Instant now);
  // The rate is more than a test.
  bool limits() const { return state_ == State::limiting || rate_before_; }
  // The link is probably full, and loses most of what would show it: delays should be measured more often.
  bool wants_delays() const;

private:
  void note_chance_loss(Instant now);
  // Less arrives than can be lost by chance.
  bool loses_by_queue() const;
  // Little of much arrives, as much as the link is known to carry: its queue overflows, also if it empties in between.
  bool overflows(Instant now) const;
  // Bytes per second that the full link takes: some of them are lost by chance.
  double capacity() const { return newest_.delivered / (1 - chance_loss_); }
  Duration long_queue(double rate) const;
  bool is_long() const { return queue_.known() && queue_.least() >= long_queue(reference()); }
  bool is_short() const { return queue_.known() && queue_.least() < long_queue(reference()) / 2; }
  double reference() const { return rate_.value_or(newest_.delivered); }
  void make_way(Instant now);
  void watch(Instant now);
  void limit(Instant now);
  void begin_test(Instant now);
  Instant drained() const;
  void test(Instant now);
  void pass(Instant now);
  void fail(Instant now);
  bool leaves_room() const;
  void stop_limiting();

  double floor_;
  State state_ = State::watching;
  QueueDelay queue_;
  Delivery newest_;
  std::optional<double> rate_;
  bool exchanging_ = false;
  bool makes_way_ = false;
  std::optional<Instant> way_since_;  // in this exchange
  std::optional<Instant> full_since_;
  double chance_loss_ = 0;  // the share that is lost without a queue
  std::optional<Instant> short_since_;

  // The test.
  double capacity_ = 0;        // what the link takes
  double least_capacity_ = 0;  // … or less, which this test does not find
  double share_ = 0;           // of it, sent
  std::optional<double> rate_before_;
  Instant begun_;
  Instant draining_since_;                            // less was sent than ever before
  Duration deepest_{};                                // the queue, as far as it has been seen
  std::optional<std::size_t> samples_until_drained_;  // taken when the queue should have gone
  Instant not_before_;                                // the next test
  Duration pause_{};                                  // after the newest test that failed

  Instant crowded_until_;
  Instant changed_;  // the rate
  int raises_ = 0;   // in a row
  std::optional<Instant> idle_since_;
  Instant calm_since_;  // no queue has been long
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__SATURATION_HPP_
