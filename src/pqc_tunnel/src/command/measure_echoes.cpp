// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "measure_echoes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::size_t both_frames = 30 + 37;  // of the shortest request and its answer
constexpr double airtime = 0.01;              // of a link of known rate
constexpr double shortest_pause_s = 0.05;

// How one peer is reached, from its status.
struct Way
{
  std::size_t longest_frame = 0;
  std::size_t header_bytes = 0;
  double rate = 0;  // bytes per second of the slowest link in use; 0: none is known
};

Way way_of(const YAML::Node & peer)
{
  constexpr std::size_t ipv4 = 28;
  constexpr std::size_t ipv6 = 48;
  Way used;
  Way all;
  for (const YAML::Node & path : peer["paths"]) {
    const auto address = path["address"].as<std::string>("");
    for (Way * way : {&all, path["carries"].as<bool>(false) ? &used : nullptr}) {
      if (way != nullptr) {
        way->longest_frame = std::max(way->longest_frame, path["mtu_bytes"].as<std::size_t>(0));
        way->header_bytes = path["type"].as<std::string>("") != "udp" ? 0
                            : address.starts_with('[')                ? ipv6
                                                                      : ipv4;
        const double rate =
          path["rate_source"].as<std::string>("") == "streams"  // which nothing limits to it
            ? 0.0
            : path["rate_bytes_s"].as<double>(0.0);
        way->rate = way->rate == 0 ? rate : rate == 0 ? way->rate : std::min(way->rate, rate);
      }
    }
  }
  return used.longest_frame > 0 ? used : all;
}

long patience_ms(const YAML::Node & peer)
{
  constexpr long unknown = 3000;
  constexpr long least = 500;
  constexpr long most = 20'000;
  const double round_trip_s = peer["rtt_s"].as<double>(-1.0);
  return round_trip_s < 0 ? unknown
                          : std::clamp(std::lround(200.0 + 4000.0 * round_trip_s), least, most);
}

EchoAnswer read_answer(const YAML::Node & json)
{
  return {json["number"].as<std::uint32_t>(0),     json["sent"].as<bool>(false),
          json["success"].as<bool>(false),         json["rtt_s"].as<double>(0.0),
          json["answer_bytes"].as<std::size_t>(0), json["arrived"].as<std::uint32_t>(0),
          json["version"].as<std::string>("")};
}

void note(EchoLog & log, const EchoAnswer & answer)
{
  if (answer.answered) {
    log.note_answer(answer.number, answer.arrived);
  } else if (answer.sent) {
    log.note_lost(answer.number);
  }
}

}  // namespace

void EchoLog::note_answer(std::uint32_t number, std::uint32_t arrived)
{
  constexpr std::uint32_t told = 32;
  for (auto & [lost, where] : lost_) {
    const std::uint32_t before = number - lost - 1;
    if (before < told && where == Lost::unknown) {
      where = ((arrived >> before) & 1U) != 0 ? Lost::back : Lost::there;
    }
  }
}

std::size_t EchoLog::count(Lost where) const
{
  return static_cast<std::size_t>(
    std::ranges::count_if(lost_, [where](const auto & one) { return one.second == where; }));
}

Lost EchoLog::where(std::uint32_t number) const
{
  const auto found = lost_.find(number);
  return found == lost_.end() ? Lost::nowhere : found->second;
}

std::optional<PathMtu> find_path_mtu(const AskForEcho & ask, std::size_t longest, EchoLog & log)
{
  constexpr int tries = 2;
  constexpr std::size_t precise = 4;
  std::optional<std::uint32_t> lost;
  // The bytes of the answer; 0: none has come.
  const auto carried = [&](std::size_t bytes) {
    for (int i = 0; i < tries; ++i) {
      const EchoAnswer answer = ask(bytes);
      note(log, answer);
      if (answer.answered) {
        return answer.answer_bytes;
      }
      lost = answer.sent ? answer.number : lost;
    }
    return std::size_t{0};
  };
  if (carried(longest) >= longest) {
    return PathMtu{longest, Lost::nowhere};
  }
  std::size_t good = carried(0);
  if (good == 0) {
    return std::nullopt;
  }
  for (std::size_t bad = longest; bad > good + precise;) {
    const std::size_t middle = (good + bad) / 2;
    (carried(middle) >= middle ? good : bad) = middle;
  }
  if (lost && log.where(*lost) == Lost::unknown) {
    carried(0);
  }
  return PathMtu{good, lost ? log.where(*lost) : Lost::back};
}

Result<Echoes> measure_echoes(const std::string & tunnel, const EchoOptions & options)
{
  const auto status = request(tunnel, "status");
  if (!status) {
    return tl::make_unexpected(status.error());
  }
  const auto peer = peer_of(status->json, options.drone);
  if (!peer) {
    return tl::make_unexpected(peer.error());
  }
  Echoes echoes;
  echoes.peer = (*peer)["name"].as<std::string>("");
  const Way way = way_of(*peer);
  const long patience = patience_ms(*peer);
  const double pause_s = way.rate > 0
                           ? std::max(shortest_pause_s, both_frames / (airtime * way.rate))
                           : shortest_pause_s;
  // A drone's end has one peer, which needs no name.
  const bool is_ground = status->json["role"].as<std::string>("") == "gcs";
  const std::string drone = is_ground ? " " + echoes.peer : "";
  std::optional<Error> failure;
  const AskForEcho ask = [&](std::size_t bytes) {
    const auto limit = std::chrono::ceil<std::chrono::seconds>(std::chrono::milliseconds(patience));
    const auto answer = request(
      tunnel, "echo " + std::to_string(patience) + " " + std::to_string(bytes) + drone,
      limit + at_once);
    if (!answer) {
      failure = answer.error();
      return EchoAnswer{};
    }
    EchoAnswer read = read_answer(answer->json);
    if (!read.sent) {
      failure = Error(ErrorCode::unavailable, answer->json["message"].as<std::string>(""));
    }
    return read;
  };
  EchoLog log;
  for (std::size_t i = 0; i < options.count && !failure; ++i) {
    if (i > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
    }
    const EchoAnswer answer = ask(0);
    note(log, answer);
    echoes.sent += answer.sent ? 1 : 0;
    if (answer.answered) {
      echoes.round_trips_s.push_back(answer.round_trip_s);
      echoes.version = answer.version;
    }
  }
  if (failure) {
    return tl::make_unexpected(*failure);
  }
  echoes.lost_there = log.count(Lost::there);
  echoes.lost_back = log.count(Lost::back);
  echoes.lost_unknown = log.count(Lost::unknown);
  std::ranges::sort(echoes.round_trips_s);
  echoes.header_bytes = way.header_bytes;
  echoes.configured_bytes = way.longest_frame + way.header_bytes;
  const bool looks = way.header_bytes > 0 && (way.rate == 0 || options.path_mtu_of_thin_links);
  if (looks && !echoes.round_trips_s.empty()) {
    EchoLog of_lengths;
    if (const auto found = find_path_mtu(ask, way.longest_frame, of_lengths)) {
      echoes.path_mtu = found->frame_bytes + way.header_bytes;
      echoes.longer = found->longer;
    }
  }
  return echoes;
}

}  // namespace pqc_tunnel::cli
