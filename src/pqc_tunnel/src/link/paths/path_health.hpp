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

// Whether a path delivers: from the frames that arrive by it and from the answers to probes. A frame shows that the path
// delivers to here; only an answer shows both ways.
class PathHealth
{
public:
  struct Settings
  {
    bool probed = true;         // false: the only path of all; what arrives tells enough
    Duration failover{};        // a path that is watched closely is given up after this silence
    Duration least_interval{};  // between probes: what the rate of the link allows; zero: any
    Duration least_watch_interval{};  // the same while the path is watched closely
  };

  PathHealth(const Settings & settings, Instant now);

  // An authentic frame has arrived by this path.
  void handle_frame(Instant now);
  // False if the nonce is none of this path's probes, or was answered before.
  bool handle_answer(std::uint64_t nonce, Instant now);
  // The link is gone, or there again.
  void handle_link_down();
  void handle_link_up(Instant now);
  // Close: the path carries traffic that another one could carry, so that its failure must show soon.
  void watch_closely(bool close, Instant now);

  // Brings the state up to date.
  void handle_timeout(Instant now);
  Instant next_timeout() const;
  Instant next_probe() const;
  // The path is probed so from now on.
  void use(const Settings & settings) { settings_ = settings; }
  // The nonce of a probe that is due.
  std::optional<std::uint64_t> take_probe(RandomSource & random, Instant now);

  PathState state() const { return state_; }
  bool has_answered() const { return answered_.has_value(); }
  std::optional<Instant> heard() const { return heard_; }
  std::optional<Duration> rtt() const { return rtt_; }
  // The share of probes that remained without an answer, of the last ones.
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
  Instant since_;  // of the state
  bool present_ = true;
  bool close_ = false;
  bool was_up_ = false;    // it has to be stable before it counts as up again
  int answers_ = 0;        // in this state
  Instant expected_from_;  // silence counts from here on
  std::optional<Instant> heard_;
  Instant spoken_;         // the newest frame that is no answer
  Instant spoken_before_;  // and the one before it
  Instant asking_since_;   // a watched thin path: about its silence
  std::optional<Instant> answered_;
  std::optional<Duration> rtt_;        // smoothed
  std::array<Probe, 32> probes_ = {};  // a ring
  std::size_t sent_ = 0;
  std::optional<Instant> last_probe_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__PATHS__PATH_HEALTH_HPP_
