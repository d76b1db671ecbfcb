// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "control_server.hpp"

#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "base/nearest_name.hpp"
#include "command_line/json_writer.hpp"
#include "control_folder.hpp"
#include "status_text.hpp"

namespace pqc_tunnel::cli
{

namespace
{

constexpr std::size_t stack_bytes = std::size_t{1} << 20;
constexpr Duration echo_look = std::chrono::milliseconds(5);  // the engine measures the time
constexpr std::uint32_t longest_echo_ms = 60'000;

// Returns milliseconds as poll() counts them; -1 means without end.
int milliseconds_until(Instant when)
{
  if (when == Instant::max()) {
    return -1;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - monotonic_now());
  return std::max(static_cast<int>(left.count()), 0);
}

std::string outcome_json(bool success, const std::string & message)
{
  return JsonWriter::object().flag("success", success).text("message", message).str();
}

// Returns nothing if so many echoes have been asked since that this one was given up.
std::optional<EchoReply> take_reply(std::future<EchoReply> & reply)
{
  try {
    return reply.get();
  } catch (const std::future_error &) {
    return std::nullopt;
  }
}

// The peer that a rekey is for. `drone` is empty if the request names none.
Result<PeerIndex> find_peer(const Engine & engine, const std::string & drone)
{
  if (engine.config().role == Role::drone) {
    if (drone.empty()) {
      return PeerIndex{0};
    }
    return fail(
      ErrorCode::invalid_argument,
      "This is the drone's end, with the ground station as its only peer: leave out --drone.");
  }
  const PeerSnapshots peers = engine.latest().peers;
  std::vector<std::string> names;
  std::optional<PeerIndex> found;
  for (const PeerIndex peer : peers.served()) {
    names.push_back(peers[static_cast<std::size_t>(peer)].name);
    found = drone.empty() || drone == names.back() ? peer : found;
  }
  if (drone.empty() && names.size() > 1) {
    return fail(
      ErrorCode::invalid_argument,
      "This ground station has several drones: name one with --drone.");
  }
  if (!found) {
    return fail(
      ErrorCode::invalid_argument, names.empty()
                                     ? "This ground station has no drone."
                                     : "This ground station has no drone " + drone +
                                         "; did you mean " + nearest_name(drone, names) + "?");
  }
  return *found;
}

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::open(
  Engine & engine, const std::filesystem::path & path, std::function<void()> request_stop)
{
  auto socket = ControlSocket::open(path);
  if (!socket) {
    return tl::make_unexpected(socket.error());
  }
  return std::unique_ptr<ControlServer>(
    new ControlServer(engine, std::move(*socket), std::move(request_stop)));
}

Result<std::unique_ptr<ControlServer>> ControlServer::open_named(
  Engine & engine, const std::string & tunnel, std::function<void()> request_stop)
{
  if (const auto made = make_control_folder(); !made) {
    return tl::make_unexpected(made.error());
  }
  return open(engine, control_path(tunnel), std::move(request_stop));
}

ControlServer::ControlServer(
  Engine & engine, ControlSocket socket, std::function<void()> request_stop)
: engine_(engine),
  request_stop_(std::move(request_stop)),
  socket_(std::move(socket)),
  thread_("pqc_control", stack_bytes, [this] { run(); })
{
}

ControlServer::~ControlServer()
{
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  wake_.notify();
  thread_.join();
}

void ControlServer::run()
{
  while (true) {
    std::vector<pollfd> ready{{wake_.fd(), POLLIN, 0}};
    int patience = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (ended_) {
        return;
      }
      std::ranges::copy(socket_.descriptors(), std::back_inserter(ready));
      patience = milliseconds_until(
        echoes_.empty() ? socket_.next_timeout()
                        : std::min(socket_.next_timeout(), monotonic_now() + echo_look));
    }
    ::poll(ready.data(), ready.size(), patience);
    const std::scoped_lock lock(mutex_);
    for (const auto & request : socket_.handle_ready()) {
      answer_request(request);
    }
    answer_echoes();
  }
}

void ControlServer::answer_request(const ControlSocket::Request & request)
{
  const std::string command = request.words.empty() ? "" : request.words.front();
  if (command == "status") {
    socket_.answer(request.caller, status_json(engine_));
  } else if (command == "suites") {
    socket_.answer(request.caller, suites_json(engine_));
  } else if (command == "rekey" || command == "ratchet" || command == "one-time-key") {
    begin_rekey(request);
  } else if (command == "prefetch") {
    begin_prefetch(request);
  } else if (command == "echo") {
    begin_echo(request);
  } else if (command == "wipe") {
    wipe(request);
  } else if (command == "erase") {
    begin_erasure(request);
  } else if (command == "reload") {
    const auto done = engine_.reload();
    socket_.answer(
      request.caller, outcome_json(done.has_value(), done ? *done : done.error().message));
  } else if (command == "stop" && request_stop_) {
    socket_.answer(request.caller, outcome_json(true, "The tunnel stops."));
    request_stop_();
  } else if (command == "stop") {
    socket_.answer(
      request.caller, outcome_json(false, "This tunnel is a ROS node: end its launch instead."));
  } else {
    socket_.answer(
      request.caller,
      outcome_json(
        false,
        "The requests are status, suites, rekey [SUITE|- [DRONE]], ratchet [- [DRONE]], "
        "one-time-key [- [DRONE]], prefetch SUITE, echo MS [BYTES [DRONE]], wipe [DRONE], "
        "erase DRONE, reload and "
        "stop."));
  }
}

void ControlServer::begin_rekey(const ControlSocket::Request & request)
{
  const auto & words = request.words;
  const auto peer = find_peer(engine_, words.size() > 2 ? words[2] : "");
  if (!peer) {
    socket_.answer(request.caller, outcome_json(false, peer.error().message));
    return;
  }
  const bool same_suite = words.size() < 2 || words[1] == "-";
  const auto id = engine_.request_rekey(
    *peer, same_suite ? "" : words[1], "requested at the control socket", words[0] == "ratchet",
    words[0] == "one-time-key");
  callers_[id] = request.caller;
}

void ControlServer::begin_prefetch(const ControlSocket::Request & request)
{
  if (engine_.config().role != Role::drone) {
    const char * const sentence = "This is a ground station, which fetches no keys: ask its drone.";
    socket_.answer(request.caller, outcome_json(false, sentence));
  } else if (request.words.size() != 2) {
    socket_.answer(request.caller, outcome_json(false, "Name one suite, whose key to fetch."));
  } else {
    callers_[engine_.request_prefetch(PeerIndex{0}, request.words[1])] = request.caller;
  }
}

void ControlServer::begin_erasure(const ControlSocket::Request & request)
{
  const auto peer = find_peer(engine_, request.words.size() > 1 ? request.words[1] : "");
  if (!peer) {
    socket_.answer(request.caller, outcome_json(false, peer.error().message));
  } else if (engine_.config().role == Role::drone) {
    const char * const sentence = "This is a drone, whose keys a ground station may have erased.";
    socket_.answer(request.caller, outcome_json(false, sentence));
  } else {
    callers_[engine_.request_erasure(*peer)] = request.caller;
  }
}

void ControlServer::wipe(const ControlSocket::Request & request)
{
  const auto peer = find_peer(engine_, request.words.size() > 1 ? request.words[1] : "");
  if (!peer) {
    socket_.answer(request.caller, outcome_json(false, peer.error().message));
    return;
  }
  const bool wiped = engine_.wipe(*peer);
  socket_.answer(
    request.caller, outcome_json(wiped, wiped ? "The keys are wiped." : "The tunnel has stopped."));
}

void ControlServer::begin_echo(const ControlSocket::Request & request)
{
  const auto & words = request.words;
  const auto number = [&](std::size_t at, std::uint32_t most) {
    std::uint32_t value = 0;
    const std::string text = at < words.size() ? words[at] : "0";
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size() && value <= most;
    return good ? std::optional(value) : std::nullopt;
  };
  constexpr std::uint32_t longest_frame = 65'507;
  const auto patience = number(1, longest_echo_ms);
  const auto bytes = number(2, longest_frame);
  const auto peer = find_peer(engine_, words.size() > 3 ? words[3] : "");
  if (!peer) {
    socket_.answer(request.caller, outcome_json(false, peer.error().message));
  } else if (!patience || !bytes) {
    socket_.answer(
      request.caller,
      outcome_json(
        false, "An echo needs how long to wait, up to " + std::to_string(longest_echo_ms) +
                 " ms, and perhaps the bytes of its frame."));
  } else {
    echoes_.push_back(
      {request.caller, engine_.echo(*peer, *bytes),
       monotonic_now() + std::chrono::milliseconds(*patience)});
  }
}

void ControlServer::answer_echoes()
{
  std::vector<WaitingEcho> waiting;
  for (WaitingEcho & one : echoes_) {
    const bool ready =
      one.echo.reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (!ready && monotonic_now() < one.until) {
      waiting.push_back(std::move(one));
    } else {
      const auto reply = ready ? take_reply(one.echo.reply) : std::nullopt;
      socket_.answer(one.caller, echo_json(one.echo.number, reply));
    }
  }
  echoes_ = std::move(waiting);
}

void ControlServer::answer(const RekeyReply & reply)
{
  const std::scoped_lock lock(mutex_);
  const auto caller = callers_.find(reply.id);
  if (caller != callers_.end()) {
    socket_.answer(caller->second, reply_json(reply));
    callers_.erase(caller);
  }
}

}  // namespace pqc_tunnel::cli
