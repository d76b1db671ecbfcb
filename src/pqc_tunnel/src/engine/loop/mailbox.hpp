// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__MAILBOX_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__MAILBOX_HPP_

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine.hpp"
#include "engine/sockets/plaintext_side.hpp"
#include "os/clock.hpp"
#include "os/priority_mutex.hpp"
#include "os/wake_up.hpp"
#include "protocol/wire/identity.hpp"

namespace pqc_tunnel
{

struct WipeCommand
{
  PeerIndex peer{};
  std::promise<bool> done;
};

struct EchoCommand
{
  PeerIndex peer{};
  Echo echo;
  std::promise<EchoReply> reply;
};

// Of what the ground station serves.
struct PeerChange
{
  PeerIndex peer{};
  bool serves = true;
  std::optional<DroneRecord> record{};       // none: as it is
  bool closes_plaintext = false;             // before it gets another one
  std::optional<PlaintextSide> plaintext{};  // none: as it is
};

// The keys of this end; none: as they are.
using OwnKeys = std::variant<std::monostate, DroneIdentity, GcsIdentity>;

struct ChangeCommand
{
  OwnKeys own;
  std::vector<PeerChange> changes;
  std::promise<bool> done;
};

struct NoticeCommand
{
  PeerIndex peer{};
  Notice notice;
};

// The packet thread and the owner of the engine exchange all data through this object.
class Mailbox
{
public:
  explicit Mailbox(std::function<void()> on_activity) : on_activity_(std::move(on_activity)) {}

  // --- For the owner ---
  // Returns the id that the command gets.
  RekeyId post_rekey(RekeyCommand command);
  // The future becomes true once the keys are wiped, and false if the tunnel has stopped.
  std::future<bool> post_wipe(PeerIndex peer);
  // The same for changes of the peers.
  std::future<bool> post_changes(std::vector<PeerChange> changes, OwnKeys own = {});
  void post_notice(PeerIndex peer, const Notice & notice);
  PendingEcho post_echo(PeerIndex peer, std::size_t frame_bytes);
  std::vector<NoticeArrived> take_notices();
  void post_stop();
  // See Engine.
  std::shared_ptr<const EngineSnapshot> snapshot();
  std::shared_ptr<const EngineSnapshot> latest() const;
  std::vector<Event> take_events();
  std::vector<RekeyReply> take_replies();

  // --- For the packet thread ---
  WakeUp & wake_up() { return wake_up_; }
  std::vector<RekeyCommand> take_commands();
  std::vector<WipeCommand> take_wipes();
  std::vector<ChangeCommand> take_changes();
  std::vector<NoticeCommand> take_notice_commands();
  std::vector<EchoCommand> take_echoes();
  bool stop_asked() const;
  // Returns whether somebody waits for a snapshot of now.
  bool snapshot_asked() const;
  // `complete`: it is what somebody may wait for.
  void publish(std::shared_ptr<const EngineSnapshot> snapshot, bool complete);
  void add_event(Event event);
  void add_reply(RekeyReply reply);
  void add_notice(const NoticeArrived & notice);
  // Refuses all commands without a reply, and all later ones.
  void close();
  // Wakes the owner. Call it without a lock.
  void announce() const;

private:
  template <class Command>
  std::future<bool> post(std::vector<Command> & to, Command command);

  WakeUp wake_up_;
  const std::function<void()> on_activity_;
  mutable PriorityMutex mutex_;
  bool stop_ = false;
  bool closed_ = false;
  std::uint64_t last_rekey_ = 0;
  std::set<RekeyId> unanswered_;
  std::vector<RekeyCommand> commands_;
  std::vector<WipeCommand> wipes_;
  std::vector<ChangeCommand> changes_;
  std::shared_ptr<const EngineSnapshot> snapshot_ = std::make_shared<EngineSnapshot>();
  std::vector<std::promise<void>> waiting_;  // for a snapshot
  std::deque<Event> events_;
  std::deque<RekeyReply> replies_;
  std::vector<NoticeCommand> notice_commands_;
  std::deque<NoticeArrived> notices_;
  std::vector<EchoCommand> echoes_;
  // Another one after each start, or the peer would take it for that of the run before.
  std::uint32_t last_echo_ = static_cast<std::uint32_t>(monotonic_now().time_since_epoch().count());
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__MAILBOX_HPP_
