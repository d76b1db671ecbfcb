// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "crypto/self_test/self_test.hpp"
#include "identity/identity_files.hpp"
#include "mailbox.hpp"
#include "net/address.hpp"
#include "net/sockets.hpp"
#include "os/thread.hpp"
#include "packet_loop.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "served_fleet.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t packet_stack_bytes = std::size_t{8} << 20;

// Returns the suites to test at the start: the drone's first suite, or on the ground all suites whose
// test takes milliseconds. The others would take seconds.
std::vector<const Suite *> suites_to_test(const EngineConfig & config)
{
  if (config.role == Role::drone) {
    return {config.settings.initial_suite};
  }
  std::vector<const Suite *> suites;
  for (const Suite * suite : config.settings.suites.allowed()) {
    if (
      family(suite->kem) != KemFamily::classic_mceliece && !signs_slowly(suite->signature) &&
      registry().availability(*suite).available)
    {
      suites.push_back(suite);
    }
  }
  return suites;
}

Result<void> self_test(const EngineConfig & config, RandomSource & random)
{
  SelfTestReport report;
  Thread("pqc_self_test", kem_stack_bytes, [&] {
    report = run_self_test(random, SelfTestSelection::of(suites_to_test(config)));
  }).join();
  for (const auto & result : report.results) {
    if (!result.passed) {
      return fail(
        ErrorCode::unavailable,
        result.algorithm + " doesn't work on this machine: " + result.reason);
    }
  }
  return {};
}

Result<PlaintextSide> open_plaintext(std::size_t peer, const PlaintextConfig & config)
{
  return PlaintextSide::open(
    PeerIndex{static_cast<std::uint32_t>(peer)}, config, usual_receive_buffer);
}

// `plaintexts`: by PeerIndex.
Result<EngineSockets> open_sockets(
  const EngineConfig & config, const std::vector<PlaintextConfig> & plaintexts)
{
  EngineSockets sockets;
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    auto link =
      Link::open(static_cast<std::uint8_t>(i), config.settings.paths.links[i], config.links[i]);
    if (!link) {
      return tl::make_unexpected(link.error());
    }
    for (const Endpoint & ground : ground_addresses(config, i)) {
      if (!link->is_serial() && !reaches(link->socket().family, ground)) {
        return fail(
          ErrorCode::invalid_argument,
          "The ground station can't be reached: bind_address and gcs_address are of different "
          "kinds (IPv4 and IPv6).");
      }
    }
    sockets.links.push_back(std::move(*link));
  }
  for (std::size_t i = 0; i < plaintexts.size(); ++i) {
    auto side = open_plaintext(i, plaintexts[i]);
    if (!side) {
      return tl::make_unexpected(side.error());
    }
    sockets.plaintexts.push_back(std::move(*side));
  }
  return sockets;
}

Result<Tunnel> as_sentence(Result<Tunnel> tunnel)
{
  if (!tunnel) {
    return fail(tunnel.error().code, "The tunnel can't start: " + tunnel.error().message + ".");
  }
  return tunnel;
}

Result<Tunnel> make_drone_tunnel(const EngineConfig & config, RandomSource & random)
{
  auto identity = load_drone_identity(config.identity_dir);
  if (!identity) {
    return tl::make_unexpected(identity.error());
  }
  std::vector<Endpoint> addresses;
  for (std::size_t i = 0; config.role == Role::drone && i < config.links.size(); ++i) {
    for (const Endpoint & address : ground_addresses(config, i)) {
      addresses.push_back(address);
    }
  }
  return as_sentence(Tunnel::create(
    Tunnel::DroneConfig{config.settings, std::move(*identity), std::move(addresses)}, random,
    monotonic_now()));
}

struct GroundFiles
{
  GcsIdentity identity;
  DroneFolder folder;
};

Result<GroundFiles> load_ground(const EngineConfig & config)
{
  auto identity = load_gcs_identity(config.identity_dir);
  if (!identity) {
    return tl::make_unexpected(identity.error());
  }
  auto folder = load_drones(config.identity_dir, config.plaintext);
  if (!folder) {
    return tl::make_unexpected(folder.error());
  }
  return GroundFiles{std::move(*identity), std::move(*folder)};
}

Event reload_event(const std::string & text, bool is_warning)
{
  return {
    EventKind::reloaded,
    monotonic_now(),
    std::nullopt,
    nullptr,
    Epoch{},
    text,
    is_warning ? EventSeverity::warning : EventSeverity::info};
}

tl::unexpected<Error> stopped() { return fail(ErrorCode::unavailable, "The tunnel has stopped."); }

std::string no_drones(const EngineConfig & config)
{
  return "No drone is registered in " + config.identity_dir.string() +
         ": make keys with pqc identity add-drone, and then run pqc reload.";
}

}  // namespace

class Engine::Impl
{
public:
  Impl(EngineConfig config, std::function<void()> on_activity)
  : config_(std::move(config)), mailbox_(std::move(on_activity))
  {
  }
  ~Impl() { stop(); }
  Impl(const Impl &) = delete;
  Impl & operator=(const Impl &) = delete;

  Result<void> start();
  void stop();
  Result<void> wait();

  const EngineConfig & config() const { return config_; }
  const EnginePorts & ports() const { return ports_; }
  Mailbox & mailbox() { return mailbox_; }
  Result<std::string> reload();

private:
  struct Reloaded
  {
    std::string text;
    bool is_warning;
  };
  Result<Reloaded> reload_drone();
  Result<Reloaded> reload_gcs();
  Result<Tunnel> make_tunnel();
  void run();
  void note_ports(const EngineSockets & sockets);

  const EngineConfig config_;
  EnginePorts ports_;
  SystemRandom random_;
  Mailbox mailbox_;
  std::unique_ptr<PacketLoop> loop_;
  std::optional<ServedFleet> fleet_;  // GCS
  std::mutex reload_mutex_;           // only one reload() runs at a time

  std::mutex stop_mutex_;  // only one stop() runs at a time
  std::mutex mutex_;
  std::condition_variable ended_;
  bool running_ = false;
  std::optional<Error> failure_;
  Thread thread_;
};

Result<void> Engine::Impl::start()
{
  if (auto tested = self_test(config_, random_); !tested) {
    return tested;
  }
  auto tunnel = make_tunnel();
  if (!tunnel) {
    return tl::make_unexpected(tunnel.error());
  }
  auto sockets =
    open_sockets(config_, fleet_ ? fleet_->plaintexts() : std::vector{config_.plaintext});
  if (!sockets) {
    return tl::make_unexpected(sockets.error());
  }
  if (fleet_) {
    sockets->expiries = fleet_->expiries();
  }
  note_ports(*sockets);
  loop_ = std::make_unique<PacketLoop>(config_, std::move(*sockets), std::move(*tunnel), mailbox_);
  running_ = true;
  thread_ = Thread("pqc_packets", packet_stack_bytes, [this] { run(); });
  return {};
}

Result<Tunnel> Engine::Impl::make_tunnel()
{
  if (config_.role == Role::drone) {
    return make_drone_tunnel(config_, random_);
  }
  auto files = load_ground(config_);
  if (!files) {
    return tl::make_unexpected(files.error());
  }
  if (files->folder.drones.empty() && !files->folder.unusable.empty()) {
    return tl::make_unexpected(files->folder.unusable.front().problem);
  }
  for (const UnusableDrone & drone : files->folder.unusable) {
    mailbox_.add_event(reload_event("The other drones are served: " + drone.problem.message, true));
  }
  if (files->folder.drones.empty()) {
    mailbox_.add_event(reload_event(no_drones(config_), true));
  }
  auto records = fleet_.emplace().begin(std::move(files->folder.drones));
  return as_sentence(Tunnel::create(
    Tunnel::GcsConfig{config_.settings, std::move(files->identity), std::move(records)}, random_,
    monotonic_now()));
}

Result<std::string> Engine::Impl::reload()
{
  const std::scoped_lock lock(reload_mutex_);
  auto done = fleet_ ? reload_gcs() : reload_drone();
  if (done) {
    mailbox_.add_event(reload_event(done->text, done->is_warning));
    mailbox_.announce();
    return done->text;
  }
  return tl::make_unexpected(done.error());
}

Result<Engine::Impl::Reloaded> Engine::Impl::reload_drone()
{
  auto identity = load_drone_identity(config_.identity_dir);
  if (!identity) {
    return tl::make_unexpected(identity.error());
  }
  if (const auto problem =
        suite_objection(*config_.settings.initial_suite, config_.settings, *identity);
      !problem.empty())
  {
    return fail(ErrorCode::invalid_argument, "The keys stay as they are: " + problem + ".");
  }
  if (!mailbox_.post_changes({}, std::move(*identity)).get()) {
    return stopped();
  }
  return Reloaded{"The keys of this drone are read anew.", false};
}

Result<Engine::Impl::Reloaded> Engine::Impl::reload_gcs()
{
  auto files = load_ground(config_);
  if (!files) {
    return tl::make_unexpected(files.error());
  }
  // What leaves makes room for the ports of what comes.
  FleetChange change = fleet_->compare(std::move(files->folder));
  if (
    !mailbox_.post_changes(std::move(change.leaving), std::move(files->identity)).get() ||
    !mailbox_.post_changes(fleet_->open(change, open_plaintext)).get())
  {
    return stopped();
  }
  return Reloaded{change.text(), !change.problems.empty()};
}

void Engine::Impl::note_ports(const EngineSockets & sockets)
{
  for (const Link & link : sockets.links) {
    ports_.links.push_back(link.udp_port());
  }
  ports_.datagram = ports_.links.front();
  for (const auto & side : sockets.plaintexts) {
    ports_.plaintext.push_back(side.socket().port);
  }
}

void Engine::Impl::run()
{
  std::optional<Error> failure;
  try {
    loop_->run();
  } catch (const std::exception & error) {
    failure = Error{
      ErrorCode::internal,
      std::string("The packet thread could not continue: ") + error.what() + "."};
  }
  mailbox_.close();
  auto last = std::make_shared<EngineSnapshot>(*mailbox_.latest());
  last->running = false;
  mailbox_.publish(std::move(last), true);
  {
    const std::scoped_lock lock(mutex_);
    running_ = false;
    failure_ = std::move(failure);
  }
  ended_.notify_all();
  mailbox_.announce();
}

void Engine::Impl::stop()
{
  const std::scoped_lock lock(stop_mutex_);
  mailbox_.post_stop();
  thread_.join();
  loop_.reset();  // wipes the keys, ends the workers, closes the sockets
}

Result<void> Engine::Impl::wait()
{
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return !running_; });
  if (failure_) {
    return tl::make_unexpected(*failure_);
  }
  return {};
}

Result<std::unique_ptr<Engine>> Engine::start(
  EngineConfig config, std::function<void()> on_activity)
{
  try {
    auto impl = std::make_unique<Impl>(std::move(config), std::move(on_activity));
    if (const auto started = impl->start(); !started) {
      return tl::make_unexpected(started.error());
    }
    return std::unique_ptr<Engine>(new Engine(std::move(impl)));
  } catch (const std::exception & error) {
    return fail(ErrorCode::internal, std::string("The tunnel can't start: ") + error.what() + ".");
  }
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

void Engine::stop() { impl_->stop(); }
Result<void> Engine::wait() { return impl_->wait(); }
const EngineConfig & Engine::config() const { return impl_->config(); }
const EnginePorts & Engine::ports() const { return impl_->ports(); }
Result<std::string> Engine::reload() { return impl_->reload(); }
EngineSnapshot Engine::snapshot() const { return *impl_->mailbox().snapshot(); }
EngineSnapshot Engine::latest() const { return *impl_->mailbox().latest(); }
std::vector<Event> Engine::take_events() { return impl_->mailbox().take_events(); }

RekeyId Engine::request_rekey(
  PeerIndex peer, std::string suite_id, std::string reason, bool ratchet, bool one_time_key)
{
  return impl_->mailbox().post_rekey(
    {RekeyId{}, peer, std::move(suite_id), std::move(reason), ratchet, one_time_key});
}

RekeyId Engine::request_prefetch(PeerIndex peer, std::string suite_id)
{
  RekeyCommand command{RekeyId{}, peer, std::move(suite_id), ""};
  command.fetch_only = true;
  return impl_->mailbox().post_rekey(std::move(command));
}

RekeyId Engine::request_erasure(PeerIndex peer)
{
  RekeyCommand command{RekeyId{}, peer, "", ""};
  command.erase_drone = true;
  return impl_->mailbox().post_rekey(std::move(command));
}

bool Engine::wipe(PeerIndex peer) { return impl_->mailbox().post_wipe(peer).get(); }

PendingEcho Engine::echo(PeerIndex peer, std::size_t frame_bytes)
{
  return impl_->mailbox().post_echo(peer, frame_bytes);
}

void Engine::send_notice(PeerIndex peer, const Notice & notice)
{
  impl_->mailbox().post_notice(peer, notice);
}

std::vector<NoticeArrived> Engine::take_notices() { return impl_->mailbox().take_notices(); }

std::vector<RekeyReply> Engine::take_rekey_replies() { return impl_->mailbox().take_replies(); }

}  // namespace pqc_tunnel
