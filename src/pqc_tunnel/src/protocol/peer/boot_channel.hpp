// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__BOOT_CHANNEL_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__BOOT_CHANNEL_HPP_

#include <optional>
#include <vector>

#include "link/paths/candidates.hpp"
#include "link/paths/path_set.hpp"
#include "peer_streams.hpp"
#include "protocol/session/epoch_keys.hpp"

namespace pqc_tunnel
{

// A session that is being made: its boot keys, the other end's addresses, and its streams.
class BootChannel
{
public:
  BootChannel(
    const Suite & suite, Role own_role, EpochSecrets secrets, const TunnelSettings & settings,
    const Endpoint & to, Instant now);

  EpochKeys & keys() { return keys_; }
  const EpochKeys & keys() const { return keys_; }
  ChannelStreams & streams() { return streams_; }
  const ChannelStreams & streams() const { return streams_; }

  // Where the newest authentic frame came from, of the addresses that are configured or have proved themselves.
  const Endpoint & address() const { return to_; }
  void redirect(const Endpoint & to) { to_ = to; }
  // The other end may be there instead; a few such addresses are kept.
  void copy_to(const Endpoint & address);
  void set_copies(const std::vector<Endpoint> & addresses);
  bool is_known(const Endpoint & address) const;
  // The drone sends copies while the newest frame came from an address that is none of their addresses. The GCS always does,
  // but by another link only after a silence.
  Routes routes(Instant now) const;

  void handle_frame(bool newest, std::size_t size, const Endpoint & from, Instant now);
  // The next probe of an address that is not known.
  std::optional<PathProbe> take_probe(RandomSource & random, Instant now);
  // Whether an answer of so many bytes may go to an address that is not known.
  bool take_answer(const Endpoint & to, std::size_t bytes, Instant now);
  void handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);
  // Whether the other end is asked for its time now: until it answers, after a pause that doubles.
  bool take_question(Instant now);
  void handle_timeout(Duration allowance, Instant now);
  Instant next_timeout(Duration allowance) const;

private:
  Candidates * candidates(std::uint8_t link);

  Role own_role_;
  EpochKeys keys_;
  Endpoint to_;
  std::vector<Endpoint> copies_to_;
  std::vector<Candidates> candidates_;  // by link
  Instant heard_;                       // an authentic frame, or the hello
  Instant next_question_;
  Duration pause_ = std::chrono::milliseconds(125);
  ChannelStreams streams_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__BOOT_CHANNEL_HPP_
