// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER_HPP_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock_sync.hpp"
#include "control_frame.hpp"
#include "event_budget.hpp"
#include "key_slots.hpp"
#include "link_estimator.hpp"
#include "notice_pacer.hpp"
#include "output.hpp"
#include "paths/path_set.hpp"
#include "pqc_tunnel/base/endpoint.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "reassembly.hpp"
#include "saturation.hpp"
#include "settings.hpp"
#include "snapshot.hpp"
#include "stream_receiver.hpp"
#include "stream_sender.hpp"
#include "token_bucket.hpp"

namespace pqc_tunnel
{

// Under which keys a control message or a stream travels.
enum class Channel : std::uint8_t
{
  session,  // those of the live session, whichever are newest
  boot,     // those of a session that is being made
};

// What became of a fragment that was to be sealed.
enum class SealedFragment : std::uint8_t
{
  sealed,
  begin_again,  // other keys are in use, or too much was sealed in between: its datagram starts from its beginning
  refused,  // there are no keys; counted
};

// Bytes of frames for keys.
struct KeyTraffic
{
  std::uint64_t exchange = 0;  // Rekey and Finish or RATCHET, their answers, keep-alives
  std::uint64_t fetch = 0;     // of prekeys
};

// One remote: its keys, its address, what is counted and measured of it. Seals and opens its datagrams and looks after
// streams, keep-alives, clock and link reports by itself; what concerns keys is handed up.
class Peer
{
public:
  Peer(
    PeerIndex index, std::string name, Role own_role, const TunnelSettings & settings,
    RandomSource & random, Outbox & outbox);

  struct Received
  {
    std::optional<Drop> drop;  // none if the datagram is authentic
    Channel channel = Channel::session;
    bool former = false;  // under keys of a session before the live one
    bool proved = false;  // the peer holds keys that it had not proved before
    FrameOrder order;     // in which the peer sealed its frames
    MutableBytes plaintext;
    bool forward = false;    // plaintext goes to the local application
    bool bundle = false;     // it is several datagrams
    bool assembled = false;  // it lives only until the next frame
    bool stale = false;      // it may have been held back; never set under boot keys
    bool outdated = false;   // under the boot keys of an attempt that has ended
    std::optional<std::size_t> chosen_boot;  // drone: these boot keys are used, and no others
    std::optional<ControlFrame> control;     // for the owner to handle
    std::optional<Bytes> message;            // a stream's, complete
  };

  // `datagrams`: how many of the application's the frame carries.
  bool seal(FrameKind kind, std::size_t datagrams, MutableBytes frame, Instant now);
  // See Tunnel.
  SealedFragment seal_fragment(
    MutableBytes frame, const FragmentPlace & place, FragmentOrigin & origin, Instant now);
  bool seal_in_fragments(ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now);
  // Where a frame of so many bytes goes now; counted as sent there.
  Routes routes(TrafficClass traffic, std::size_t bytes, Instant now);
  bool holds(FrameKeyId id) const;
  // `restore`: leave the datagram as it was if it is not authentic.
  Received open(
    const FrameHeader & header, MutableBytes datagram, const Endpoint & from, bool restore,
    Instant now);
  void send_control(const ControlFrame & frame, Instant now, Channel channel = Channel::session);
  // It leaves when the pacer lets it, unless a newer one of its kind replaces it. False if there are no keys, or for a
  // kind that is not sent.
  bool send_notice(const Notice & notice, Instant now);

  // Ground station: tells the drone, under all keys that it may use, that they will be wiped. Several copies: nobody
  // answers them.
  void send_wiped(Instant now);

  // The boot keys of a session that is being made; frames under them go to `to`.
  void start_boot(const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now);
  // The drone: one of several sets of boot keys, in the order of the calls. The first authentic frame chooses its own and
  // wipes the others; nothing is sealed before. `copies_to`: see copy_boot_to(). `max_message`: bytes of the stream that
  // may come.
  void offer_boot(
    const Suite & suite, EpochSecrets secrets, const Endpoint & to,
    const std::vector<Endpoint> & copies_to, std::size_t max_message, Instant now);
  void redirect_boot(const Endpoint & to);
  // The other end may be there instead; a few such addresses are kept. The drone sends copies there while the newest frame
  // came from an address that is none of them. The GCS always does, but by another link only after a silence.
  void copy_boot_to(const Endpoint & address);
  // Frames under them that are still on the way are recognized for a while, and ignored.
  void end_boot(Instant now);
  bool has_boot() const { return boot_ != nullptr; }

  // Streams; both of a channel's end with it.
  void send_message(Channel channel, StreamClass kind, Bytes message, Instant now);
  void expect_message(Channel channel, StreamClass kind, std::size_t max_size);
  // The message that is coming in the session is wanted no more.
  void decline_message(StreamClass kind) { session_streams_->in.decline(kind); }
  void cancel_message(StreamClass kind) { session_streams_->out.cancel(kind); }  // in the session
  bool is_sending_message(Channel channel, StreamClass kind) const
  {
    return message_bytes(channel, kind) > 0;
  }
  // Of the message being sent; 0: none.
  std::size_t message_bytes(Channel channel, StreamClass kind) const;
  // Of the messages of which some parts have arrived.
  std::size_t message_bytes_arriving() const;
  // So many frames of streams wait in the queue before the link. Such a queue drops frames that have waited long, since they
  // age after they are sealed; they would look lost on the way. So none are made while one waits. True: some were made now.
  bool handle_stream_queue(std::uint8_t link, std::size_t waiting, Instant now);
  // When a stream of this channel last got on, in either direction.
  Instant stream_progress(Channel channel) const;
  void reset_session_streams();

  void handle_timeout(Instant now);
  Instant next_timeout() const;

  // The clock for keys that are made on this channel.
  std::shared_ptr<PeerClock> clock(Channel channel) const;
  // What arrives has been older than it may be.
  bool is_stretched(Instant now) const { return now < stretched_until_; }
  KeySlots & keys() { return keys_; }
  const KeySlots & keys() const { return keys_; }
  void wipe();
  PeerIndex index() const { return index_; }
  const std::string & name() const { return name_; }
  Endpoint address() const { return paths_.preferred(); }
  // The live keys use an address that has proved itself under keys of before.
  void use_address(const Endpoint & address, Instant now);
  PathSet & paths() { return paths_; }
  // Of links that are up or down, and of addresses.
  void report_changes(Instant now);
  const PathSet & paths() const { return paths_; }
  // Where the boot keys' newest authentic frame came from, of the addresses that are configured or have proved themselves.
  Endpoint boot_address() const;
  Instant last_heard() const { return last_heard_; }
  // The peer has answered a question that was asked at this time, or later.
  Instant last_answered() const { return last_answered_; }
  // The peer is taken for lost from then on: nothing fresh has come for peer_timeout or, while datagrams arrive that
  // someone may have held back, no answer for twice as long.
  Instant lost_from() const { return std::min(silent_from(), unanswered_from()); }
  // That of the handshake: a slow link gets more time from the start. One that becomes slow in flight does not, or whoever
  // holds frames back could stretch the time that silence takes.
  void use_round_trip(Duration round_trip);
  Duration allowance() const { return allowance_; }
  // The peer's datagrams arrive, whether fresh or not.
  bool arrives(Instant now) const
  {
    return now < last_arrival_ + settings_.peer_timeout + allowance_;
  }
  // … and report that nothing of what this end sends has arrived there for a while.
  bool is_deaf(Instant now) const;
  // Two machines have the drone's identity, and each takes the session from the other.
  void handle_clone(Instant now);
  bool is_cloned(Instant now) const { return now < cloned_until_; }
  // Bytes per second on the line that the only link takes: it has no configured rate, and this end fills it.
  std::optional<double> found_rate() const { return saturation_.rate(); }
  // Traffic that is not urgent waits for a key exchange.
  bool makes_way() const { return saturation_.makes_way(); }
  bool is_crowded(Instant now) const { return seeks_rate() && saturation_.is_crowded(now); }
  // How long to wait for an answer of the peer before the question is repeated.
  Duration retry_time(Instant now) const;
  // Returns the moment in which keys and all that was derived for them are due to be wiped. Only answers put it off:
  // whoever holds frames back has as many as it likes, but none that answers a question asked since.
  Instant wipe_at() const;
  // This end has looked at nothing for so long, and what came meanwhile may be too old to be believed: that was no silence
  // of the peer.
  void handle_standstill(Duration stood, Instant now);
  // Why this end itself may be late; empty: it is not.
  void note_machine_trouble(const std::string & trouble) { machine_trouble_ = trouble; }
  const std::string & machine_trouble() const { return machine_trouble_; }
  // Silence is counted from here on, although nothing has come yet.
  void start_listening(Instant now);
  // A handshake has shown that the peer is there.
  void note_alive(Instant now) { last_alive_ = now; }
  TrafficCounters & traffic() { return traffic_; }
  // Both ways, so far.
  const KeyTraffic & key_traffic() const { return key_traffic_; }
  // What the owner doesn't know: everything but state, timing and the counts of key exchanges.
  void describe(PeerSnapshot & snapshot, Instant now) const;

  void report(
    EventKind kind, Instant now, std::string text, const Suite * suite = nullptr, Epoch epoch = {},
    std::optional<EventSeverity> severity = std::nullopt);
  // Answers a rekey command with the keys in use now.
  void reply(RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing);
  // Answers that the command is refused, and reports it within a budget: anybody may ask at any rate. `suite`: the one
  // asked for, if it is known.
  void refuse_rekey(
    const RekeyCommand & command, const std::string & problem, const Suite * suite,
    const HandshakeTiming & timing, Instant now);

private:
  struct Streams
  {
    explicit Streams(std::size_t max_part) : out(max_part) {}
    StreamSender out;
    StreamReceiver in;
  };
  struct Boot
  {
    Boot(
      const EpochName & name, Role role, EpochSecrets secrets, const TunnelSettings & settings,
      const Endpoint & address, std::size_t max_part, Instant now)
    : keys(name, role, std::move(secrets), settings, now, std::make_shared<PeerClock>()),
      to(address),
      heard(now),
      streams(max_part)
    {
      for (const LinkSettings & link : settings.paths.links) {
        candidates.emplace_back(link, settings.paths.failover);
      }
    }
    EpochKeys keys;
    Endpoint to;                         // it is configured, or has proved itself
    std::vector<Endpoint> copies_to;     // the same
    std::vector<Candidates> candidates;  // by link
    Instant heard;                       // an authentic frame, or the hello
    Instant next_question;               // after a pause that doubles
    Duration pause = std::chrono::milliseconds(125);
    Streams streams;
  };

  struct Offered
  {
    Instant at;
    std::uint64_t line_bytes = 0;  // sent until then
  };
  struct Opened
  {
    EpochKeys * keys = nullptr;
    EpochKeys::Opened frame;
  };
  std::optional<std::size_t> choose_boot(const EpochKeys & keys);
  Opened open_with_any(
    const FrameHeader & header, MutableBytes datagram, bool restore, Instant now);
  void note_arrival(
    Received & received, const Opened & opened, std::size_t size, const Endpoint & from,
    Instant now);
  void take_payload(
    Received & received, const Opened & opened, MutableBytes payload, const Endpoint & from,
    Instant now);
  bool handle_own_control(
    const ControlFrame & frame, const Received & received, const Opened & opened,
    const Endpoint & from, Instant now);
  void handle_report(const LinkView & view, const FrameOrder & order, Instant now);
  void handle_time_response(
    const TimeResponse & response, const Received & received, const Opened & opened, Instant now);
  // Whether the rate of the only link is looked for.
  bool seeks_rate() const;
  void note_exchange(Instant now);
  void note_delay(const TimeResponse & response, Instant now);
  void look_for_saturation(const LinkView & received, Instant now);
  void use_found_rate(Instant now);
  Instant silent_from() const { return last_heard_ + settings_.peer_timeout + allowance_; }
  Instant unanswered_from() const
  {
    return last_answered_ + 2 * settings_.peer_timeout + allowance_;
  }
  void tell_superseded(EpochKeys & keys, const Endpoint & to, Instant now);
  void ask_for_time(Instant now, Channel channel = Channel::session);
  void note_stretched(std::string_view what, Instant now);
  void report_moved(Instant now);
  // Identifies a run of sequence numbers: each set of keys starts again at zero.
  static std::uint64_t stream_of(const EpochKeys & keys);
  // The datagram that a fragment completes; none: it is not complete, or malformed.
  std::optional<MutableBytes> take_fragment(const Opened & opened, ByteView payload, Instant now);
  static FrameOrder order_of(const EpochKeys & keys, std::uint64_t sequence)
  {
    return {static_cast<std::uint64_t>(keys.installed().time_since_epoch().count()), sequence};
  }
  void probe_paths(Instant now);
  void probe_boot(Instant now);
  void send_probe(Channel channel, const PathProbe & probe, Instant now);
  void answer_probe(Channel channel, std::uint64_t nonce, const Endpoint & from, Instant now);
  void note_boot_arrival(bool newest, std::size_t size, const Endpoint & from, Instant now);
  bool is_boot_address(const Endpoint & address) const;
  Candidates * boot_candidates(std::uint8_t link);
  Routes boot_routes(Instant now) const;
  Routes routes_of(Channel channel, TrafficClass traffic, std::size_t bytes, Instant now);
  // Returns the bytes of all copies that left.
  std::size_t send_frame(
    Channel channel, FrameKind kind, ByteView payload, TrafficClass traffic, const Routes & to,
    Instant now);
  std::size_t send_frame(
    EpochKeys * keys, FrameKind kind, ByteView payload, TrafficClass traffic, const Routes & to,
    Instant now);
  void count_key_traffic(Channel channel, StreamClass kind, std::size_t bytes);
  void count_key_traffic(Channel channel, const ControlBody & body, std::size_t bytes);
  void pump(Channel channel, Instant now);
  void send_part(Channel channel, const StreamPart & part, Instant now);
  void note_queued(const Routes & routes);
  bool has_stream_room() const;
  void pump_notices(Instant now);
  // The link loses much, and has room for repetitions.
  bool repeats_densely(Instant now) const;
  Streams * streams(Channel channel) const;
  std::size_t max_part() const;
  Duration report_interval(Instant now) const;

  PeerIndex index_;
  std::string name_;
  Role own_role_;
  const TunnelSettings & settings_;
  RandomSource & random_;
  Outbox & outbox_;
  KeySlots keys_;
  std::unique_ptr<Boot> boot_;
  std::vector<std::unique_ptr<Boot>> offered_boots_;
  std::unique_ptr<Boot> former_boot_;
  Instant former_boot_until_ = Instant::max();
  std::unique_ptr<Streams> session_streams_;
  Reassembly reassembly_;
  // Frames of streams in the queue before each link, as far as it has one.
  std::array<std::optional<std::size_t>, PathSettings::max_links> stream_queues_ = {};
  // Of the links that the newest frame of a stream went by, the one with the shortest queue.
  std::uint8_t stream_link_ = 0;
  PathSet paths_;
  TrafficCounters traffic_;
  KeyTraffic key_traffic_;
  LinkEstimator link_;
  ClockSync clock_;
  Saturation saturation_;
  bool told_saturated_ = false;
  std::optional<Instant> exchange_sent_;  // the newest frame of one under way
  std::deque<Offered> offered_;           // in the time that a report of the peer covers
  std::optional<PeerLinkReport> remote_;
  Instant last_arrival_;  // of an authentic frame, even if it may have been held back
  Instant last_heard_;    // of one that is proven to be fresh
  Instant last_alive_;    // newest that an answer, a hello or the use of new keys proves
  Instant last_answered_;
  Instant last_sent_;
  Duration allowance_{};  // of a slow link
  std::string machine_trouble_;
  NoticePacer notices_;
  // Twice what the peer's own pacer lets through, of all kinds together.
  TokenBucket notice_tokens_{
    4 * NoticePacer::kinds,
    2 * NoticePacer::kinds / std::chrono::duration<double>(notice_interval).count()};
  std::optional<Instant> next_report_;
  std::uint64_t reported_data_ = 0;    // datagrams of the application before the newest report
  FrameOrder remote_order_;            // of its newest report
  std::optional<Instant> deaf_since_;  // the peer's reports count nothing more since then
  Instant stretched_until_;
  Instant next_stretch_report_;
  Instant next_superseded_;
  Instant cloned_until_;
  Instant next_clone_report_;
  Instant next_roaming_report_;
  EventBudget refusals_;        // of rekeys that somebody asked for here
  std::uint32_t roamings_ = 0;  // since the last report of one
  Bytes unpacked_;              // the datagrams of a bundle
  Bytes second_try_;            // a copy of a datagram that several keys might open
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER_HPP_
