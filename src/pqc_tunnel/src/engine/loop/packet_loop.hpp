// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__ENGINE__LOOP__PACKET_LOOP_HPP_
#define PQC_TUNNEL__ENGINE__LOOP__PACKET_LOOP_HPP_

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drone_lines.hpp"
#include "engine/sockets/ground_probe.hpp"
#include "engine/sockets/link.hpp"
#include "engine/sockets/plaintext_side.hpp"
#include "event_limit.hpp"
#include "hello_budget.hpp"
#include "link/shaping/drop_watch.hpp"
#include "mailbox.hpp"
#include "net/datagram_batch.hpp"
#include "net/network_watch.hpp"
#include "net/poller.hpp"
#include "net/resolver.hpp"
#include "policy_watch.hpp"
#include "protocol/tunnel/tunnel.hpp"
#include "punctuality.hpp"
#include "work_ledger.hpp"
#include "worker_pool.hpp"

namespace pqc_tunnel
{

// When no session begins any more with keys of a drone, in Unix time; by KeyAge.
using Expiries = std::array<std::optional<std::int64_t>, 2>;
Expiries expiries_of(const DroneRecord & record);

// Every socket of an engine, bound before its thread starts.
struct EngineSockets
{
  std::vector<Link> links;                // in the order of the configuration
  std::vector<PlaintextSide> plaintexts;  // by PeerIndex
  std::vector<Expiries> expiries;         // GCS: by PeerIndex
};

// The main loop of the packet thread. It moves datagrams between the plaintext sides and the links
// through the tunnel, and carries out the tunnel's outputs.
class PacketLoop
{
public:
  PacketLoop(const EngineConfig & config, EngineSockets sockets, Tunnel tunnel, Mailbox & mailbox);

  // Returns when the mailbox asks to stop. Throws std::system_error if a system call fails.
  void run();

private:
  // --- The packet path: no allocation, no lock ---
  void seal_from(PlaintextSide & plaintext, bool connected, Instant now);
  void transmit(Instant now);
  ByteView keep(ByteView frame);
  void open_from(std::size_t link, std::uint32_t events, Instant now);
  void open_datagrams(std::size_t link, int socket, Instant now);
  void open_one(MutableBytes frame, const Endpoint & from, Duration waited, Instant now);
  void forward(const Opened & opened);
  // Processor time is counted only with several peers, who share it.
  void begin_charging();
  void note_work(std::optional<PeerIndex> peer);
  void charge();
  void handle_hellos(Instant now);
  void deliver();
  void flush(PlaintextSide & plaintext);
  void flush(Link & link);

  // --- Thin and serial links ---
  void watch_line(std::size_t link);
  void look_after_links(Instant now);
  void handle_closed(std::size_t link, Instant now);
  bool may_connect() const;
  void connect_links(const PeerSnapshot & peer, std::size_t index);
  void note_troubles(Instant now);
  void note_load(Instant now);

  // --- Everything else ---
  void warn(const std::string & text);
  void use_privileges();
  void dispatch(const epoll_event & event, Instant now);
  void take_mail(Instant now);
  void use_gcs_addresses(std::size_t link, Result<std::vector<Endpoint>> addresses, Instant now);
  // Carries out all outputs and sends the frames that leave now.
  void carry_out_outputs(Instant now);
  void carry_out(ProbeGround output);
  void carry_out(StartJob output);
  void carry_out(RekeyReply output);
  void carry_out(Event output);
  void carry_out(NoticeArrived output);
  void carry_out(const EchoArrived & output);
  void ask_for_echo(EchoCommand command, Instant now);
  void add_event(Event event);
  // To the pilot, in the local programs.
  void show(PeerIndex peer, MavlinkSeverity severity, std::string_view text);
  void show_line(PeerIndex peer, const Notice & notice, Instant now);
  void note_policy(PeerIndex peer, const Notice & notice, Instant now);
  void announce_soon();
  void announce_by(Instant when);
  void note_punctuality(Instant now);
  void handle_timeout(Instant now);
  void look_around(Instant now);
  void add_side(std::optional<PlaintextSide> plaintext);
  void watch(PlaintextSide & side);
  void handle_change(PeerChange change, Instant now);
  void expire_keys(Instant now);
  // The next publication shows what this peer is now; none: all peers.
  void note_news(std::optional<PeerIndex> of);
  void look_at(std::size_t peer, Instant now);
  void count_live_address(const Endpoint & address, int change);
  void publish(Instant now);
  Instant next_deadline() const;

  const EngineConfig & config_;
  Mailbox & mailbox_;
  Tunnel tunnel_;
  Poller poller_;
  std::vector<Link> links_;
  // The loop keeps this of a peer beside the tunnel.
  struct Side
  {
    std::optional<PlaintextSide> plaintext;  // none: nothing goes to or comes from local programs
    std::vector<DropWatch> drop_watches;     // by link
    LossWatch fragment_watch;
    DroneLines lines;
    PolicyWatch policy_watch;
    bool has_news = false;
    bool serves = true;
    bool carried = false;  // data, since the last look
    Instant looked{};
    Expiries expires{};
  };
  Side & side(PeerIndex peer) { return sides_.at(static_cast<std::size_t>(peer)); }
  std::deque<Side> sides_;  // by peer
  Duration max_age_;
  bool shares_time_ = false;  // several peers share the processor time of this thread
  Duration uncharged_{};      // spent on no peer's frames, or idle
  WorkLedger work_;           // not charged yet
  std::vector<Bytes> kept_;   // see keep()
  std::size_t kept_frames_ = 0;
  struct Delivered
  {
    PeerIndex peer;
    ByteView datagram;
  };
  std::vector<Delivered> delivered_;  // plaintext of the present batch, for local programs
  struct Hello
  {
    MutableBytes frame;
    Endpoint from;
  };
  std::vector<Hello> hellos_;  // hellos of the present batch
  struct ToldTrouble
  {
    std::string present;  // as seen last; empty: none
    std::string told;     // text that was logged last
    Instant told_at;
  };
  // The loop keeps this of a link beside its socket or line.
  struct LinkSide
  {
    bool open = false;     // as seen last
    bool writing = false;  // the poller reports when the device is writable
    ToldTrouble trouble;
    std::array<ShaperCounts, traffic_classes> shaped{};  // of all peers there
    std::unique_ptr<Resolver> resolver;                  // drone; null without a host name
    std::vector<Endpoint> resolved;                      // drone
  };
  std::vector<LinkSide> link_sides_;
  EventLimit event_limit_;
  HelloBudget hello_budget_;
  struct AddressHash
  {
    std::size_t operator()(const Endpoint & address) const
    {
      const auto * bytes = reinterpret_cast<const char *>(address.address.data());
      return std::hash<std::string_view>()({bytes, address.address.size()}) ^ address.port;
    }
  };
  std::unordered_map<Endpoint, int, AddressHash> live_addresses_;  // with the number of paths
  std::uint64_t hellos_discarded_ = 0;
  GroundProbe probe_;  // drone
  NetworkWatch network_;
  bool network_changed_ = false;  // since the sockets of peers were connected
  struct AskedEcho
  {
    EchoCommand command;
    Instant time;
  };
  std::deque<AskedEcho> echoes_;  // without an answer yet
  // No standstill of max_age_s escapes such looks. One that is due waits a quarter longer for a datagram, beside which it
  // costs no wake-up.
  const Duration look_interval_ = std::clamp<Duration>(
    max_age_ / 2, std::chrono::milliseconds(10), std::chrono::milliseconds(200));
  Punctuality punctuality_;
  Duration stood_still_{};  // before the last handling of ready descriptors
  Instant next_address_look_;
  std::string machine_trouble_;  // that the tunnel knows of
  PeerSnapshots snapshots_;      // of the last look at each peer
  std::size_t turn_ = 0;         // of peers to look at
  std::vector<std::size_t> news_of_;
  Instant next_look_;
  Instant oldest_look_;  // the last complete publication
  Instant last_publication_;
  Instant next_announcement_ =
    Instant::max();  // when events and replies are announced to the owner
  bool stopping_ = false;
  // They are large, and would lie between the others.
  ReceiveBatch from_plaintext_;
  ReceiveBatch from_link_;
  SendBatch to_plaintext_;  // of one side at a time, so that it stays in the caches
  WorkerPool workers_;
  WorkerPool preparers_;  // makes keys in advance, without delaying handshakes
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__ENGINE__LOOP__PACKET_LOOP_HPP_
