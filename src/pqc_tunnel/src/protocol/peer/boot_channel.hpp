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

// A session that is being established: its boot keys, the addresses of the other end, and its streams.
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

  // Returns the known address that the newest authentic frame came from.
  const Endpoint & address() const { return to_; }
  void redirect(const Endpoint & to) { to_ = to; }
  // Adds an address at which the other end may be instead. A few such addresses are kept.
  void copy_to(const Endpoint & address);
  void set_copies(const std::vector<Endpoint> & addresses);
  bool is_known(const Endpoint & address) const;
  // Returns address() and the addresses that get copies. The drone sends none once address() is one of those. The GCS
  // always sends copies, but over another link only after a silence.
  Routes routes(Instant now) const;

  void handle_frame(bool newest, std::size_t size, const Endpoint & from, Instant now);
  // Returns the next probe of an unknown address.
  std::optional<PathProbe> take_probe(RandomSource & random, Instant now);
  // Charges an answer to an unknown address; false if it may not get so many bytes.
  bool take_answer(const Endpoint & to, std::size_t bytes, Instant now);
  void handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now);
  // Returns whether a time request is due. Until the first answer one is due after each pause, which doubles.
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
  Instant heard_;                       // when the newest authentic frame came, or the hello
  Instant next_question_;
  Duration pause_ = std::chrono::milliseconds(125);
  ChannelStreams streams_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__BOOT_CHANNEL_HPP_
