// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
#define PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_

#include <cstddef>
#include <optional>

#include "base/time.hpp"

namespace pqc_tunnel
{

// Measures how fast a link delivers from the parts of streams that arrive by it. Parts that follow each other without a
// pause are a train. At its begin the sender feels its way, and sends ever faster. Once it does no more, it fills the link.
class ArrivalRate
{
public:
  // Parts that follow each other within this time form a train, and only trains are measured: senders leave longer
  // pauses between messages.
  static constexpr Duration longest_gap = std::chrono::milliseconds(250);
  // Bytes that suffice to measure most links.
  static constexpr std::size_t long_train = 128'000;
  // Bytes before which nothing is known: the key of a FrodoKEM, and a small one.
  static constexpr std::size_t least_known = 40'000;
  // The same in round trips of trains, for thin links: a sender that grows in each of them fills any of these.
  static constexpr double least_round_trips = 10;

  // `round_trip`: the shortest of the link, without the queue that the parts make; zero: unknown.
  void handle_part(std::size_t bytes, Duration round_trip, Instant now);
  // Returns bytes per second; none before enough has arrived. Until a sender has filled the link they are too few, and
  // those of the fastest round trip so far.
  std::optional<double> bytes_per_s() const { return rate_; }
  // Returns whether they say something of the link: a sender has filled it, or has had the bytes or the round trips to feel
  // its way.
  bool is_known() const
  {
    return filled_ || bytes_ >= least_known || round_trips_ >= least_round_trips;
  }
  bool has_filled() const { return filled_.has_value(); }
  // Returns whether a sender has filled the link lately.
  bool is_sure(Instant now) const;

private:
  // A number of parts of the train.
  struct Section
  {
    void begin(Instant now) { *this = {now, 0}; }
    double rate(Instant now) const;

    Instant begun;
    std::size_t bytes = 0;
  };

  void note_section(Duration round_trip, Instant now);

  std::size_t bytes_ = 0;
  double round_trips_ = 0;       // that all trains have lasted
  std::optional<Instant> last_;  // the newest part
  Section train_;
  Section section_;            // of the train, under way
  double section_before_ = 0;  // bytes per second
  Section trip_;               // the same for about a round trip
  double fastest_trip_ = 0;    // of the train
  double known_ = 0;           // by what came before, if it lasted
  bool lasted_ = false;        // rate_ is more than that of a cluster
  std::optional<double> rate_;
  std::optional<Instant> filled_;  // when rate_ was that of a full link
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__ESTIMATE__ARRIVAL_RATE_HPP_
