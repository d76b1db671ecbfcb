// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__WIRED_PAIR_HPP_
#define SUPPORT__PAIR__WIRED_PAIR_HPP_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/tunnel/tunnel.hpp"
#include "support/identities.hpp"
#include "support/pair/rekey_command.hpp"

namespace pqc_tunnel::test
{

enum class Side
{
  drone,
  gcs,
};

inline constexpr Side both_sides[] = {Side::drone, Side::gcs};
inline Side other(Side side) { return side == Side::drone ? Side::gcs : Side::drone; }

struct Standings
{
  PeerStanding drone;
  PeerStanding gcs;
  const PeerStanding & at(Side side) const { return side == Side::drone ? drone : gcs; }
};

// How long keys took to make, in virtual time. By the real clock it would travel in LATER, and no run would be like another.
void set_time(JobResult & result, Duration time);

// A drone's and a GCS's tunnel in one thread, wired by channels that the test controls, under a virtual clock. Throws
// as soon as an end would spin over a time-out, or seals two datagrams under one key and sequence number.
class WiredPair
{
public:
  struct Options
  {
    std::string suite = "cs-mlkem768-aesgcm-mldsa65";
    TunnelSettings settings;
    std::optional<TunnelSettings> gcs_settings;  // else the drone's
    std::uint64_t seed = 1;
    Duration latency = std::chrono::milliseconds(10);
    Duration job_time = std::chrono::milliseconds(1);
    Duration drone_ahead{};  // of the drone's clock: machines have started at different times
    std::function<Duration(const Job &)> time_of_job;  // else job_time
    std::vector<SignatureAlgorithm> identities;  // keys to hold beside those of the first suite
    std::function<void(DroneIdentity &)> alter_drone;
    std::function<void(GcsIdentity &, DroneRecord &)> alter_gcs;
  };

  // Sees each datagram before it travels, hellos too; false drops it, changes stick.
  using Filter = std::function<bool(Side from, Bytes & bytes)>;
  // The extra delays with which copies of a datagram arrive; none: it is lost. Changes stick.
  using Channel = std::function<std::vector<Duration>(Side from, Bytes & datagram)>;
  // Of several links: whether this one carries a datagram now, and how much longer it takes than the first.
  using LinkWeather = std::function<std::optional<Duration>(Side from, std::uint8_t link)>;
  // Sees each datagram that arrives at an end, as it arrived, and what the end made of it.
  using Arrivals =
    std::function<void(Side to, const Endpoint & from, ByteView datagram, const Opened & opened)>;
  // May change a job before it runs, or give its result instead.
  using JobFilter = std::function<std::optional<JobResult>(Side at, Job & job)>;

  WiredPair();
  explicit WiredPair(Options options);
  ~WiredPair();

  Instant now() const { return now_; }
  // By the clock of that end's machine.
  Instant now(Side side) const { return side == Side::drone ? now_ + options_.drone_ahead : now_; }
  // The drone's machine starts again, or its clock stood still.
  void set_drone_ahead(Duration ahead) { options_.drone_ahead = ahead; }
  Tunnel & drone() { return *drone_; }
  Tunnel & gcs() { return *gcs_; }
  Tunnel & end(Side side) { return side == Side::drone ? *drone_ : *gcs_; }
  SeededRandom & random() { return random_; }

  // --- Time ---

  // Lets virtual time pass; everything due happens in order.
  void run_for(Duration duration);
  // Until the condition holds; false if it doesn't within `limit` of virtual time.
  bool run_until(
    const std::function<bool()> & condition, Duration limit = std::chrono::seconds(60));
  bool agreed();     // both ends are established and send under the same keys
  bool establish();  // runs until both ends agree

  // --- Datagrams ---

  // Sends one plaintext datagram into an end; it arrives in received() of the other, unless a thin link leaves it out. False
  // if it was dropped at once.
  bool send(Side from, ByteView plaintext);
  std::deque<Bytes> & received(Side at) { return received_[at]; }
  // The same, but nothing leaves before time passes, as for the datagrams that a system call receives together.
  bool offer(Side from, ByteView plaintext);
  // Hands a raw datagram to an end, as from a stranger's address or the peer's.
  Opened inject(Side to, ByteView datagram, const Endpoint & from);
  Opened inject(Side to, ByteView datagram) { return inject(to, datagram, address_of(other(to))); }
  // The same after a time.
  void deliver_later(Side to, Bytes datagram, const Endpoint & from, Duration delay);
  static Endpoint address_of(Side side, std::uint8_t link = 0);
  static Endpoint stranger(std::uint8_t number = 66);
  // Datagrams of that end leave from this address on the first link from now on.
  void move_to(Side side, const Endpoint & address) { addresses_[side] = address; }

  // --- The network and its mishaps ---

  void set_datagram_filter(Filter filter) { datagram_filter_ = std::move(filter); }
  void set_channel(Channel channel) { channel_ = std::move(channel); }
  void set_link_weather(LinkWeather weather) { link_weather_ = std::move(weather); }
  void set_job_filter(JobFilter filter) { job_filter_ = std::move(filter); }
  void restart(Side side);  // crash and start again, with nothing remembered
  // The process of that end stands still for that time. What arrives waits in a buffer; what has waited there for longer
  // than max_age is dropped, as by the engine: of a serial line all may have waited since the beginning.
  void stand_still(Side side, Duration time);
  // Jobs at that end don't end until they are let go again.
  void hold_jobs(Side side, bool hold);

  // --- What happened ---

  void watch_arrivals(Arrivals watcher) { arrivals_ = std::move(watcher); }
  // Sees each datagram that leaves an end for an address that is not the other end's.
  using Elsewhere = std::function<void(Side from, ByteView datagram)>;
  void watch_elsewhere(Elsewhere watcher) { elsewhere_watcher_ = std::move(watcher); }
  // Called after everything that happens at either end.
  void watch(std::function<void()> watcher) { watcher_ = std::move(watcher); }

  std::vector<Event> & events(Side side) { return events_[side]; }
  std::size_t count(Side side, EventKind kind) const;
  bool saw(Side side, EventKind kind) const { return count(side, kind) > 0; }
  bool reported(Side side, EventKind kind, std::string_view words) const;
  std::vector<RekeyReply> & outcomes(Side side) { return outcomes_[side]; }
  std::vector<Notice> & notices(Side at) { return notices_[at]; }
  std::vector<EchoArrived> & echoes(Side at) { return echoes_[at]; }
  std::vector<Bytes> & datagrams_sent(Side side) { return datagrams_[side]; }
  // Addresses other than the peer's that an end has sent to, with what it sent.
  std::vector<std::pair<Endpoint, Bytes>> & sent_elsewhere(Side side) { return elsewhere_[side]; }
  std::size_t probes() const { return probes_; }  // of the ground station, by the drone
  std::size_t jobs_run(Side side) const { return jobs_run_.at(side); }
  PeerSnapshot snapshot(Side side) { return end(side).snapshot(PeerIndex{0}, now(side)); }
  PeerStanding standing(Side side) { return end(side).standing(PeerIndex{0}, now(side)); }
  Standings standings() { return {standing(Side::drone), standing(Side::gcs)}; }
  // Datagrams dropped at an end for that reason, from any sender.
  std::uint64_t drops(Side side, Drop drop);
  std::uint64_t drops(Side side);
  // Of the queue before the first link, which must have one.
  ShaperCounts queue_counts(Side side, TrafficClass traffic)
  {
    return snapshot(side).paths.at(0).shaped.at(static_cast<std::size_t>(traffic));
  }
  // Drains the outputs of both ends after a direct call to one of them.
  void pump();

private:
  void make(Side side);
  void schedule(Duration delay, std::function<void()> action);
  void pump(Side side);
  void handle(Side side, Output output);
  void start_job(Side side, StartJob start, std::function<bool()> alive);
  std::uint8_t links() const
  {
    return static_cast<std::uint8_t>(options_.settings.paths.links.size());
  }
  Endpoint address(Side side, std::uint8_t link) const
  {
    return link == 0 ? addresses_.at(side) : address_of(side, link);
  }
  // The link on which that end is at this address.
  std::optional<std::uint8_t> link_to(Side side, const Endpoint & address) const;
  void transmit(Side side);
  void travel(Side from, const Endpoint & to, Bytes datagram);
  void check_nonce(Side from, ByteView datagram);
  void deliver(Side to, Bytes datagram, const Endpoint & from, Duration waited = {});
  Opened arrive(Side to, Bytes & datagram, const Endpoint & from, Duration waited);
  void go_on(Side side, Duration stood);
  bool stands_still(Side side) const { return now_ < standstills_.at(side).until; }
  // By the clock of this pair; the end's own may be another.
  Instant at_pair(Side side, Instant due) const
  {
    return due == Instant::max() ? due
                                 : std::max(due - (now(side) - now_), standstills_.at(side).until);
  }
  Instant timeout_of(Side side) { return at_pair(side, end(side).next_timeout()); }
  Instant next_due();
  bool run_next_pending();
  void tell_watcher() const
  {
    if (watcher_) {
      watcher_();
    }
  }

  Options options_;
  Identities identities_;
  SeededRandom random_;
  Instant now_{std::chrono::seconds(1000)};
  std::unique_ptr<Tunnel> drone_;
  std::unique_ptr<Tunnel> gcs_;
  std::map<Side, std::deque<Bytes>> frames_;  // that were offered and may not have left
  struct Standstill
  {
    Instant until{};
    struct Arrival
    {
      Instant at;
      Bytes datagram;
      Endpoint from;
    };
    std::vector<Arrival> arrivals;
  };
  std::map<Side, Standstill> standstills_ = {{Side::drone, {}}, {Side::gcs, {}}};
  std::multimap<Instant, std::function<void()>> pending_;
  std::map<Side, std::uint64_t> incarnation_;
  std::map<Side, Endpoint> addresses_;
  std::map<Side, std::deque<Bytes>> received_;
  std::map<Side, std::vector<Event>> events_;
  std::map<Side, std::vector<RekeyReply>> outcomes_;
  std::map<Side, std::vector<Notice>> notices_;
  std::map<Side, std::vector<EchoArrived>> echoes_;
  std::map<Side, std::vector<Bytes>> datagrams_;
  // They have what was sealed, by the tag of its keys and its sequence number.
  using KeyTag = decltype(InstalledKeys::transcript_tag);
  std::map<Side, std::map<std::pair<KeyTag, std::uint32_t>, Bytes>> nonces_;
  std::map<Side, std::vector<std::pair<Endpoint, Bytes>>> elsewhere_;
  std::size_t probes_ = 0;
  std::map<Side, std::size_t> jobs_run_{{Side::drone, 0}, {Side::gcs, 0}};
  Filter datagram_filter_;
  Channel channel_;
  LinkWeather link_weather_;
  JobFilter job_filter_;
  std::map<Side, bool> holds_jobs_;
  std::map<Side, std::vector<std::function<void()>>> held_jobs_;
  Arrivals arrivals_;
  Elsewhere elsewhere_watcher_;
  std::function<void()> watcher_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__WIRED_PAIR_HPP_
