// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__COMMAND__MEASURE_ECHOES_HPP_
#define PQC_TUNNEL__COMMAND__MEASURE_ECHOES_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

enum class Lost : std::uint8_t
{
  nowhere,
  there,    // on the way to the other end
  back,     // on the way from it
  unknown,  // no later answer tells
};

// What became of requests, from the answers. Numbers count up.
class EchoLog
{
public:
  void note_lost(std::uint32_t number) { lost_[number] = Lost::unknown; }
  // `arrived`: which of the 32 before this one have arrived at the other end; bit 0 is the one before.
  void note_answer(std::uint32_t number, std::uint32_t arrived);
  std::size_t count(Lost where) const;
  Lost where(std::uint32_t number) const;

private:
  std::map<std::uint32_t, Lost> lost_;
};

// An answer, as far as it is used here.
struct EchoAnswer
{
  std::uint32_t number = 0;
  bool sent = false;
  bool answered = false;
  double round_trip_s = 0;
  std::size_t answer_bytes = 0;  // of the frame
  std::uint32_t arrived = 0;
  std::string version;
};
// Sends a request with a frame of so many bytes, 0: as few as possible, and waits for the answer or a time-out.
using AskForEcho = std::function<EchoAnswer(std::size_t frame_bytes)>;

struct PathMtu
{
  std::size_t frame_bytes = 0;  // of the longest frame that is carried both ways
  Lost longer = Lost::nowhere;  // where a longer one is lost
};
// Searches the longest frame that is carried both ways, up to `longest`. Each length has two tries.
std::optional<PathMtu> find_path_mtu(const AskForEcho & ask, std::size_t longest, EchoLog & log);

struct EchoOptions
{
  std::string drone;  // empty: the only peer
  std::size_t count = 5;
  bool path_mtu_of_thin_links = false;
};
struct Echoes
{
  std::string peer;
  std::string version;  // of the other end; empty without an answer
  std::size_t sent = 0;
  std::size_t lost_there = 0;
  std::size_t lost_back = 0;
  std::size_t lost_unknown = 0;
  std::vector<double> round_trips_s;  // in ascending order
  std::size_t header_bytes = 0;       // of IP and UDP before a frame; 0: serial
  std::size_t configured_bytes = 0;   // the longest packet, with headers
  std::optional<std::size_t>
    path_mtu;                   // of packets, with headers; none: not looked for, or no answer
  Lost longer = Lost::nowhere;  // where a packet longer than that is lost
};
// Asks the peer of a running tunnel. An error: no such peer, or no session.
Result<Echoes> measure_echoes(const std::string & tunnel, const EchoOptions & options);

}  // namespace pqc_tunnel::cli

#endif  // PQC_TUNNEL__COMMAND__MEASURE_ECHOES_HPP_
