// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__PEER_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__PEER_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "echo_window.hpp"
#include "event_budget.hpp"
#include "peer_keys.hpp"
#include "peer_link.hpp"
#include "peer_streams.hpp"

namespace pqc_tunnel
{

// The result of sealing a fragment.
enum class SealedFragment : std::uint8_t
{
  sealed,
  begin_again,  // keys changed, or too many frames lie between: send the datagram from its beginning
  refused,      // there are no keys; counted
};

// Bytes of frames for key exchanges, both ways.
struct KeyTraffic
{
  std::uint64_t exchange = 0;  // Rekey and Finish or RATCHET, their answers, keep-alives
  std::uint64_t fetch = 0;     // fetching of prekeys
};

// One remote with its keys, its link and its streams. It seals and opens the remote's datagrams and handles streams,
// keep-alives, clock and link reports by itself. Messages about keys go to the owner.
class Peer
{
public:
  // `keys`: where its keys are entered, if anywhere; it must outlive the peer, as all others must.
  Peer(
    PeerIndex index, std::string name, Role own_role, const TunnelSettings & settings,
    RandomSource & random, Outbox & outbox, KeyIndex * keys = nullptr);

  struct Received
  {
    std::optional<Drop> drop;  // none if the datagram is authentic
    Channel channel = Channel::session;
    bool former = false;  // under keys of an earlier session
    bool proved = false;  // the peer has proved that it holds new keys
    FrameOrder order;     // place in the order of sealing
    MutableBytes plaintext;
    bool forward = false;    // plaintext goes to the local application
    bool bundle = false;     // plaintext has several datagrams
    bool assembled = false;  // plaintext is valid only until the next frame
    bool stale = false;      // it may have been held back; never set under boot keys
    bool outdated = false;   // under boot keys of an attempt that has ended
    std::optional<std::size_t> chosen_boot;  // drone: index of the boot keys now in use
    std::optional<ControlFrame> control;     // the owner must handle it
    std::optional<Bytes> message;            // complete message of a stream
    StreamLane lane{};                       // of the part of a stream
  };

  // `datagrams`: how many datagrams of the application the frame carries.
  bool seal(FrameKind kind, std::size_t datagrams, MutableBytes frame, Instant now);
  // See Shaper.
  SealedFragment seal_fragment(
    MutableBytes frame, const FragmentPlace & place, FragmentOrigin & origin, Instant now,
    FrameKind kind = FrameKind::fragment);
  bool seal_in_fragments(
    ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now,
    FrameKind kind = FrameKind::fragment);
  // Returns where a frame of so many bytes goes now, and counts it as sent there.
  Routes routes(TrafficClass traffic, std::size_t bytes, Instant now);
  // `restore`: leave the datagram as it was if it is not authentic.
  Received open(
    const FrameHeader & header, MutableBytes datagram, const Endpoint & from, bool restore,
    Instant now);
  void send_control(const ControlFrame & frame, Instant now, Channel channel = Channel::session);
  // Sends a notice when the pacer allows, unless a newer one of its kind replaces it. Returns false if there are no
  // keys, or if notices of this kind are never sent.
  bool send_notice(const Notice & notice, Instant now);
  // Returns false without keys, and if no link carries frames of this length.
  bool send_echo(const Echo & echo, Instant now);

  // Ground station: tells the drone, under all keys that it may use, that they will be wiped. Sends several copies,
  // since nobody acknowledges them.
  void send_wiped(Instant now);

  // Installs the boot keys of a session. Frames under them go to `to`.
  void start_boot(const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now);
  // Drone: adds one of several sets of boot keys, in the order of the calls. The first authentic frame selects its own
  // set and wipes the others; nothing is sealed before. `copies_to`: see copy_boot_to(). `max_message`: bytes of the
  // longest message of the stream.
  void offer_boot(
    const Suite & suite, EpochSecrets secrets, const Endpoint & to,
    const std::vector<Endpoint> & copies_to, std::size_t max_message, Instant now);
  void redirect_boot(const Endpoint & to);
  // Adds an address at which the other end may be instead: see BootChannel::routes().
  void copy_boot_to(const Endpoint & address);
  // Ends the use of the boot keys. For a while, frames under them are still recognized, and ignored.
  void end_boot(Instant now);
  bool has_boot() const { return keys_.boot() != nullptr; }
  // Returns where the other end is while a session is established, otherwise where most frames go.
  Endpoint boot_address() const { return has_boot() ? keys_.boot()->address() : address(); }

  // The streams of a channel end with the channel.
  void send_message(Channel channel, StreamLane lane, Bytes message, Instant now);
  void expect_message(Channel channel, StreamLane lane, std::size_t max_size);
  // Refuses the message that is arriving in the session.
  void decline_message(StreamLane lane) { streams_.session().in.decline(lane); }
  void cancel_message(StreamLane lane) { streams_.session().out.cancel(lane); }  // in the session
  bool is_sending_message(Channel channel, StreamLane lane) const
  {
    return message_bytes(channel, lane) > 0;
  }
  // Returns the bytes of the message being sent; 0: none.
  std::size_t message_bytes(Channel channel, StreamLane lane) const;
  // Sets the pace of the background of the session: bytes per second on the line; 0: what data leaves, this lane first.
  void set_background_pace(double bytes_per_s, StreamLane first, Instant now);
  double background_pace() const { return streams_.pace(); }
  StreamReceiver::Progress arriving(StreamLane lane) const
  {
    return streams_.session().in.progress(lane);
  }
  // Returns the bytes of incomplete messages that are arriving.
  std::size_t message_bytes_arriving() const;
  // Sets how many frames of streams and of the background wait in the queue before the link. The queue drops those that
  // have waited long, as if the link had lost them. Therefore none are made while one waits. Returns true if some were
  // made now.
  bool handle_stream_queue(
    std::uint8_t link, std::size_t waiting, std::size_t background, Instant now);
  // Returns when the foreground of this channel made progress last, in either direction.
  Instant stream_progress(Channel channel) const { return streams(channel).last_progress(); }
  void reset_session_streams() { streams_.reset_session(); }

  void handle_timeout(Instant now);
  Instant next_timeout() const;

  // Returns the clock for keys that are made on this channel.
  std::shared_ptr<PeerClock> clock(Channel channel) { return keys_.clock(channel); }
  KeySlots & keys() { return keys_.slots(); }
  const KeySlots & keys() const { return keys_.slots(); }
  PeerLink & link() { return link_; }
  const PeerLink & link() const { return link_; }
  PathSet & paths() { return link_.paths(); }
  const PathSet & paths() const { return link_.paths(); }
  TrafficCounters & traffic() { return link_.traffic(); }
  void wipe();
  PeerIndex index() const { return index_; }
  const std::string & name() const { return name_; }
  Endpoint address() const { return paths().preferred(); }
  // Uses an address that has proved itself under boot keys for the new session.
  void use_address(const Endpoint & address, Instant now);
  // Reports links that went up or down, and new addresses.
  void report_changes(Instant now) { link_.report_changes(keys().sending(), now); }
  // Handles that two machines have the drone's identity and take the session from each other.
  void handle_clone(Instant now);
  // See PeerLink.
  std::optional<double> found_rate() const { return link_.found_rate(); }
  bool makes_way() const { return link_.makes_way(); }
  bool is_crowded(Instant now) const { return link_.is_crowded(now); }
  void handle_standstill(Duration stood, Instant now) { link_.handle_standstill(stood, now); }
  void note_machine_trouble(const std::string & trouble) { link_.note_machine_trouble(trouble); }
  // Returns when all keys are due to be wiped. Only answers postpone it: an attacker who held frames back may have any
  // number of them, but none that answers a later question.
  Instant wipe_at() const;
  // Returns the traffic of key exchanges so far.
  const KeyTraffic & key_traffic() const { return key_traffic_; }
  // Fills in everything but state, timing and the counts of key exchanges, which the owner knows.
  void describe(PeerSnapshot & snapshot, Instant now) const;
  // Returns what this object knows about trouble; the owner adds the rest.
  PeerFacts facts(Instant now) const;

  void report(
    EventKind kind, Instant now, std::string text, const Suite * suite = nullptr, Epoch epoch = {},
    std::optional<EventSeverity> severity = std::nullopt);
  // Reports if the sending keys rest on other problems than those before.
  void report_protection(Instant now);
  // Answers a rekey command with the keys in use now.
  void reply(RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing);
  // Answers that the command is refused, and reports it within a budget, since anybody may ask at any rate. `suite`:
  // the requested suite, if it exists.
  void refuse_rekey(
    const RekeyCommand & command, const std::string & problem, const Suite * suite,
    const HandshakeTiming & timing, Instant now);

private:
  using Opened = PeerKeys::Opened;
  void note_arrival(
    Received & received, const Opened & opened, std::size_t size, const Endpoint & from,
    Instant now);
  void take_payload(
    Received & received, const Opened & opened, MutableBytes payload, const Endpoint & from,
    Instant now);
  bool handle_own_control(
    const ControlFrame & frame, const Received & received, const Opened & opened,
    const Endpoint & from, Instant now);
  void handle_report(
    const LinkReport & report, const Received & received, const Opened & opened, Instant now);
  void handle_time_response(
    const TimeResponse & response, const Received & received, const Opened & opened, Instant now);
  void tell_superseded(EpochKeys & keys, const Endpoint & to, Instant now);
  void ask_for_time(Instant now, Channel channel = Channel::session);
  void note_stretched(std::string_view what, Instant now);
  // Identifies a run of sequence numbers, which begins at zero with each set of keys.
  static std::uint64_t stream_of(const EpochKeys & keys);
  void send_control_in_fragments(const ControlBody & body, ByteView payload, Instant now);
  // Returns what a fragment completes; none: it is still incomplete, or malformed.
  std::optional<MutableBytes> take_fragment(const Opened & opened, ByteView payload, Instant now);
  static FrameOrder order_of(const EpochKeys & keys, std::uint64_t sequence)
  {
    return {static_cast<std::uint64_t>(keys.installed().time_since_epoch().count()), sequence};
  }
  void probe_paths(Instant now);
  void probe_boot(Instant now);
  void send_probe(Channel channel, const PathProbe & probe, Instant now);
  void answer_probe(Channel channel, std::uint64_t nonce, const Endpoint & from, Instant now);
  Routes boot_routes(Instant now) const;
  Routes routes_of(Channel channel, TrafficClass traffic, std::size_t bytes, Instant now);
  // Returns the bytes of all copies that left.
  std::size_t send_frame(
    EpochKeys * keys, FrameKind kind, ByteView payload, TrafficClass traffic, const Routes & to,
    Instant now);
  // Counts a frame, and the datagrams of the application that are whole with it.
  void count_sealed(const EpochKeys & keys, std::size_t bytes, std::size_t datagrams);
  TrafficClass class_of(Channel channel, StreamLane lane) const;
  void count_key_traffic(Channel channel, StreamLane lane, std::size_t bytes);
  void count_key_traffic(Channel channel, const ControlBody & body, std::size_t bytes);
  void pump(Channel channel, Instant now);
  void send_part(Channel channel, const StreamPart & part, Instant now);
  void pump_notices(Instant now);
  void answer_echo(std::uint32_t number, const EchoRequest & request, Instant now);
  ChannelStreams & streams(Channel channel);
  const ChannelStreams & streams(Channel channel) const;

  PeerIndex index_;
  std::string name_;
  Role own_role_;
  const TunnelSettings & settings_;
  RandomSource & random_;
  Outbox & outbox_;
  PeerKeys keys_;
  PeerLink link_;
  PeerStreams streams_;
  KeyTraffic key_traffic_;
  Instant next_superseded_;
  Instant cloned_until_;
  Instant next_clone_report_;
  std::vector<Problem> protection_;  // as reported; none without keys
  EventBudget refusals_;             // of rekeys requested at this end
  Bytes unpacked_;                   // datagrams of a bundle
  EchoWindow echoes_;                // of the peer
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__PEER_HPP_
