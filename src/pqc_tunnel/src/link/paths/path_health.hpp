// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__PATHS__PATH_HEALTH_HPP_
#define PQC_TUNNEL__LINK__PATHS__PATH_HEALTH_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "crypto/random.hpp"

namespace pqc_tunnel
{

enum class PathState : std::uint8_t
{
  probing,  // not proved yet, or coming back
  up,
  down,
};

// Judges whether a path delivers, from the frames that arrive by it and the answers to probes. A frame shows that the
// path delivers to this end; only an answer shows that it delivers both ways.
class PathHealth
{
public:
  struct Settings
  {
    bool probed = true;               // false: the only path, whose arriving frames suffice
    Duration failover{};              // a closely watched path goes down after this silence
    Duration least_interval{};        // between probes, by the rate of the link; zero: any
    Duration least_watch_interval{};  // between probes while the path is watched closely
  };

  PathHealth(const Settings & settings, Instant now);

  // An authentic frame has arrived by this path.
  void handle_frame(Instant now);
  // Returns false if no open probe of this path has the nonce.
  bool handle_answer(std::uint64_t nonce, Instant now);
  // The link has gone, or has come back.
  void handle_link_down();
  void handle_link_up(Instant now);
  // `close`: the path carries traffic that another one could carry, so its failure must show soon.
  void watch_closely(bool close, Instant now);

  // Marks the path as down if its deadline has passed.
  void handle_timeout(Instant now);
  Instant next_timeout() const;
  Instant next_probe() const;
  // Applies new settings from now on.
  void use(const Settings & settings) { settings_ = settings; }
  // Returns the nonce of a new probe, if one is due.
  std::optional<std::uint64_t> take_probe(RandomSource & random, Instant now);

  PathState state() const { return state_; }
  std::optional<Instant> heard() const { return heard_; }
  std::optional<Duration> rtt() const { return rtt_; }
  // Returns the share of the last 32 probes that remained unanswered.
  double loss(Instant now) const;

private:
  struct Probe
  {
    std::uint64_t nonce = 0;
    Instant sent;
    bool answered = true;
  };

  bool is_quick() const;
  bool is_watched() const { return state_ == PathState::up && close_; }
  bool is_thin() const { return settings_.least_interval > Duration{}; }
  Duration interval() const;
  Duration asking_interval() const;
  Instant next_question() const;
  Instant deadline() const;
  Duration rtt_margin() const;
  Duration answer_patience() const;
  void enter(PathState state, Instant now);

  Settings settings_;
  PathState state_ = PathState::probing;
  Instant since_;  // when the path entered its state
  bool present_ = true;
  bool close_ = false;
  bool was_up_ = false;    // to be up again it must be stable
  int answers_ = 0;        // answers in this state
  Instant expected_from_;  // silence before this does not count
  std::optional<Instant> heard_;
  Instant spoken_;         // newest frame that is no answer
  Instant spoken_before_;  // the frame before that
  Instant asking_since_;   // when the present run of questions began
  std::optional<Instant> answered_;
  std::optional<Duration> rtt_;        // smoothed
  std::array<Probe, 32> probes_ = {};  // a ring
  std::size_t sent_ = 0;
  std::optional<Instant> last_probe_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_HEALTH_HPP_
