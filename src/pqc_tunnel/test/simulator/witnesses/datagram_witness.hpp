// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__DATAGRAM_WITNESS_HPP_
#define SIMULATOR__WITNESSES__DATAGRAM_WITNESS_HPP_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "simulator/witnesses/life_witness.hpp"

namespace pqc_tunnel::test
{

// Watches every datagram from the sealing end to the opening one. A datagram that the network delivers unaltered must
// be opened once, by its receiver, with its plaintext; an altered one must not be opened.
class DatagramWitness
{
public:
  DatagramWitness(
    WiredPair & pair, KeyWitness & keys, LifeWitness & life, std::vector<const Suite *> allowed,
    const TunnelSettings & settings, bool holds_back, bool passes_long_ones);

  // Sends one numbered datagram; false if the end rejects it. Throws Violation if it must not.
  bool send(Side from);
  void arrived(Side to, ByteView datagram, const Opened & opened);
  // To be called after everything that happens and after KeyWitness::look(); throws Violation.
  void look();

  std::uint64_t sealed() const { return sealed_; }
  std::uint64_t delivered(Side at) const { return delivered_.at(at); }    // to the application
  std::uint64_t accepted(Side from) const { return accepted_.at(from); }  // and sent to the peer
  std::uint64_t taken(Side from) const { return taken_.at(from); }        // sent anywhere
  // The same for the same run, to the last bit.
  std::uint64_t fingerprint() const { return fingerprint_; }

private:
  struct Sealed
  {
    Bytes bytes;
    KeyTag keys;
    std::uint64_t sequence = 0;
    bool boot = false;
    std::optional<std::uint32_t> number;  // none for control frames and streams
    bool is_fragment = false;             // of the datagram with that number
    std::uint32_t sealed_by = 0;          // process
    std::uint32_t opened_by = 0;          // … of the other end
    Instant sealed_at;
  };

  void look_at(
    Side from, Bytes bytes, std::optional<std::uint32_t> number, bool is_fragment = false);
  void check_delivered(Side to, const Sealed & sent, const Opened & opened);
  void check_opened(Side to, Sealed & sent, const Opened & opened);
  void check_lost(Side to, const Sealed & sent) const;
  // Whether a later datagram was opened more than `lateness` ago, or the keys were superseded then.
  bool is_late(Side to, const Sealed & sent, Duration lateness) const;
  bool leaves_in_fragments(std::uint32_t number) const;
  Bytes plaintext(std::uint32_t number) const;

  WiredPair & pair_;
  KeyWitness & keys_;
  LifeWitness & life_;
  std::vector<const Suite *> allowed_;
  std::size_t replay_window_;
  Duration max_age_;
  bool holds_back_;  // the network, somewhere
  std::uint64_t packet_limit_;
  bool copies_;                                   // a datagram may leave over several links
  bool passes_long_ones_;                         // the network
  std::map<Side, std::map<Bytes, Sealed>> sent_;  // by their bytes
  std::map<Side, std::set<std::pair<KeyTag, std::uint64_t>>> nonces_;
  std::map<Side, std::set<std::uint32_t>> assembled_;  // datagrams that came in fragments
  // What was opened under each key: the highest sequence number so far, since when.
  std::map<Side, std::map<KeyTag, std::vector<std::pair<Instant, std::uint64_t>>>> highest_;
  std::map<Side, std::uint64_t> delivered_{{Side::drone, 0}, {Side::gcs, 0}};
  std::map<Side, std::uint64_t> accepted_{{Side::drone, 0}, {Side::gcs, 0}};
  std::map<Side, std::uint64_t> taken_{{Side::drone, 0}, {Side::gcs, 0}};
  std::uint32_t next_ = 0;
  std::uint64_t sealed_ = 0;
  std::uint64_t fingerprint_ = 14695981039346656037u;
  std::optional<Violation> seen_;  // while an end was at work; thrown at the next look
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__DATAGRAM_WITNESS_HPP_
