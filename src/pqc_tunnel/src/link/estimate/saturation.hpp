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

// Finds the rate of a link without a configured rate once this end fills it: its frames wait in a queue, and the peer
// receives less than this end sends. Loss alone, jitter or a longer path do not count. A test confirms the suspicion:
// this end sends less for a moment, and the queue is its own only if it then empties. The same test precedes each later
// cut of the rate, and the rate returns if the queue stays. Sans-I/O.
class Saturation
{
public:
  enum class State : std::uint8_t
  {
    watching,
    testing,   // this end sends less, to see whether the queue empties
    limiting,  // this end keeps to the rate, and raises it now and then
  };

  // The traffic of this end, in bytes on the line per second.
  struct Delivery
  {
    double offered = 0;                // this end sent
    double delivered = 0;              // the peer received
    std::optional<double> streamed{};  // the pace of the streams that the peer sends; none: unknown
  };

  // `floor`: bytes per second below which this end is never limited.
  explicit Saturation(double floor) : floor_(floor) {}

  // Takes the one-way delay of a frame of this end. Only differences count, so the clocks of the ends may differ.
  void handle_delay(Duration delay, Instant now);
  // The peer has reported its reception.
  void handle_delivery(const Delivery & delivery, Instant now);
  // Returns how many bytes per second on the line this end may send; none: the link is not known to be saturated.
  std::optional<double> rate() const { return rate_; }
  // True while a key exchange needs a link that seems to be full. Before any test, this end then holds back data that
  // is not urgent, behind which the frames of the exchange would wait or be lost. Ends with the exchange.
  bool makes_way() const { return makes_way_; }
  // True if frames of this end have waited in a long queue lately, whoever fills it. Small datagrams then share frames.
  bool is_crowded(Instant now) const { return now < crowded_until_; }
  void set_exchanging(bool exchanging, Instant now);
  // True if rate() limits this end for longer than a first test.
  bool limits() const { return state_ == State::limiting || rate_before_; }
  // True if the link is probably full and loses most frames that would show it: delays must be measured more often.
  bool wants_delays() const;

private:
  void note_chance_loss(Instant now);
  // True if less arrives than loss by chance explains.
  bool loses_by_queue() const;
  // True if little of much arrives, and as much as streams had: the queue overflows, even if it empties in between.
  bool overflows(Instant now) const;
  // Returns the bytes per second that the full link takes, including those lost by chance.
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
  std::optional<Instant> way_since_;  // when makes_way() began in this exchange
  std::optional<Instant> full_since_;
  double chance_loss_ = 0;  // the share that is lost without a queue
  std::optional<Instant> short_since_;

  // The state of the test.
  double capacity_ = 0;                // bytes per second that the link takes
  double least_capacity_ = 0;          // lowest value that the test may find for it
  double share_ = 0;                   // share of the capacity that this end sends
  std::optional<double> rate_before_;  // rate of a limited link before the test
  Instant begun_;
  Instant draining_since_;                            // since the test lowered its rate last
  Duration deepest_{};                                // longest delay seen in this test
  std::optional<std::size_t> samples_until_drained_;  // taken when the queue should be empty
  Instant not_before_;                                // earliest time of the next test
  Duration pause_{};  // before the next test; doubles with each failure

  Instant crowded_until_;
  Instant changed_;  // when the rate changed last
  int raises_ = 0;   // raises of the rate in a row
  std::optional<Instant> idle_since_;
  Instant calm_since_;  // since when no queue has been long
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__SATURATION_HPP_
