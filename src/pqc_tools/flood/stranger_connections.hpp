// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__FLOOD__STRANGER_CONNECTIONS_HPP_
#define PQC_TOOLS__FLOOD__STRANGER_CONNECTIONS_HPP_

#include <array>
#include <cstdint>
#include <map>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/net/poller.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"

namespace pqc_tunnel::blaster
{

// How a stranger uses a connection to the handshake port.
enum class StrangerKind : std::uint8_t
{
  silent,
  half_hello,
  garbage_hello,  // of the right length
  wrong_mac,      // a well-formed hello from a peer without the shared key
};
inline constexpr std::array<const char *, 4> stranger_names = {
  "silent", "half_hello", "garbage_hello", "wrong_mac"};

struct StrangerCounts
{
  std::array<std::uint64_t, stranger_names.size()> opened = {};
  std::uint64_t connected = 0;
  std::uint64_t closed = 0;    // by the other end, as it should
  std::uint64_t left = 0;      // never closed by the other end; given up here
  std::uint64_t answered = 0;  // received at least one byte, although strangers get no answer
  std::uint64_t failed = 0;    // could not be opened
};

// Opens connections that never complete a handshake: the kinds in turn, from several addresses in turn.
class StrangerConnections
{
public:
  // Uses `sources` addresses from `first_source` on; without one, the system chooses.
  StrangerConnections(
    Poller & poller, const Endpoint & to, const Endpoint & first_source, std::uint32_t sources,
    const Suite & suite);

  void open(Instant now);
  void handle_ready(std::uint64_t number, std::uint32_t events);
  void give_up_old(Instant now);

  const StrangerCounts & counts() const { return counts_; }

private:
  struct Stranger
  {
    FileDescriptor fd;
    StrangerKind kind;
    Instant opened;
    bool connected = false;
    bool answered = false;
  };
  FileDescriptor connect();
  void send_to(const Stranger & stranger);
  void close(std::map<std::uint64_t, Stranger>::iterator stranger, std::uint64_t & counter);

  Poller & poller_;
  Endpoint to_;
  Endpoint first_source_;
  std::uint32_t sources_;
  Bytes hello_;
  Bytes garbage_;
  std::map<std::uint64_t, Stranger> strangers_;
  std::uint64_t next_ = 0;
  StrangerCounts counts_;
};

}  // namespace pqc_tunnel::blaster

#endif  // PQC_TOOLS__FLOOD__STRANGER_CONNECTIONS_HPP_
