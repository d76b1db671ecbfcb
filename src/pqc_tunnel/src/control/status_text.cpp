// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "status_text.hpp"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/shown_text.hpp"
#include "command_line/json_writer.hpp"
#include "config/config.hpp"
#include "crypto/aead.hpp"
#include "crypto/components.hpp"
#include "crypto/suites/suite.hpp"
#include "net/address.hpp"

namespace pqc_tunnel::cli
{

namespace
{

const char * name_of(EventSeverity severity)
{
  switch (severity) {
    case EventSeverity::debug:
      return "DEBUG";
    case EventSeverity::info:
      return "INFO";
    case EventSeverity::warning:
      return "WARN";
    case EventSeverity::error:
      return "ERROR";
  }
  return "";
}

std::string drops_json(const TrafficCounters & traffic)
{
  auto drops = JsonWriter::object();
  for (std::size_t i = 0; i < drop_classes; ++i) {
    drops.number(to_string(static_cast<Drop>(i)), traffic.drops[i]);
  }
  return drops.str();
}

std::string traffic_json(const TrafficCounters & traffic)
{
  return JsonWriter::object()
    .number("plain_in_packets", traffic.plain_in_packets)
    .number("plain_in_bytes", traffic.plain_in_bytes)
    .number("one_family_packets", traffic.one_family_packets)
    .number("two_families_packets", traffic.two_families_packets)
    .number("plain_out_packets", traffic.plain_out_packets)
    .number("plain_out_bytes", traffic.plain_out_bytes)
    .number("cipher_in_packets", traffic.cipher_in_packets)
    .number("cipher_in_bytes", traffic.cipher_in_bytes)
    .number("cipher_out_packets", traffic.cipher_out_packets)
    .number("cipher_out_bytes", traffic.cipher_out_bytes)
    .number("control_in", traffic.control_in)
    .number("control_out", traffic.control_out)
    .number("control_ignored", traffic.control_ignored)
    .number("stream_in_packets", traffic.stream_in_packets)
    .number("stream_out_packets", traffic.stream_out_packets)
    .raw("drops", drops_json(traffic))
    .str();
}

std::string link_json(const LinkView & link)
{
  return JsonWriter::object()
    .number("window_s", in_seconds(link.window))
    .number("packets_per_s", link.packets_per_s)
    .number("bytes_per_s", link.bytes_per_s)
    .number("loss", link.loss)
    .number("gap_p95_s", in_seconds(link.gap_p95))
    .number("longest_silence_s", in_seconds(link.longest_silence))
    .number("jitter_s", in_seconds(link.jitter))
    .number("blackouts", link.blackouts)
    .number("packets", link.packets)
    .number("lost", link.lost)
    .number("reordered", link.reordered)
    .number("duplicates", link.duplicates)
    .str();
}

std::string path_json(const PathReport & path)
{
  return JsonWriter::object()
    .text("link", path.name)
    .text("type", to_string(path.type))
    .text("state", to_string(path.state))
    .text("trouble", path.trouble)
    .text("address", to_string(path.remote))
    .flag("carries", path.carries)
    .number("rtt_s", in_seconds(path.rtt.value_or(Duration{})))
    .number("loss", path.loss)
    .number("rate_bytes_s", path.rate_bytes_s)
    .number("mtu_bytes", path.mtu)
    .text("rate_source", to_string(path.rate_source))
    .number("frames_in", path.frames_in)
    .number("bytes_in", path.bytes_in)
    .number("frames_out", path.frames_out)
    .number("bytes_out", path.bytes_out)
    .str();
}

std::string local_link_json(const LinkStatus & link)
{
  auto json = JsonWriter::object();
  json.text("name", link.name)
    .text("type", to_string(link.type))
    .text("where", link.where)
    .flag("open", link.open)
    .text("trouble", link.trouble)
    .number("malformed", link.malformed)
    .number("refused", link.refused);
  auto shaped = JsonWriter::object();
  for (std::size_t i = 0; i < traffic_classes; ++i) {
    const ShaperCounts & counts = link.shaped[i];
    if (counts.offered > 0) {
      shaped.raw(
        to_string(static_cast<TrafficClass>(i)), JsonWriter::object()
                                                   .number("offered", counts.offered)
                                                   .number("sent", counts.sent)
                                                   .number("conflated", counts.conflated)
                                                   .number("full", counts.full)
                                                   .number("stale", counts.stale)
                                                   .number("oversize", counts.oversize)
                                                   .str());
    }
  }
  return json.raw("shaped", shaped.str()).str();
}

std::string timing_json(const HandshakeTiming & timing)
{
  return JsonWriter::object()
    .number("total_s", in_seconds(timing.total))
    .number("connect_s", in_seconds(timing.connect))
    .number("hello_s", in_seconds(timing.hello))
    .number("derive_s", in_seconds(timing.derive))
    .number("answer_s", in_seconds(timing.answer))
    .number("fetch_s", in_seconds(timing.fetch))
    .number("keygen_s", in_seconds(timing.keygen))
    .number("sign_s", in_seconds(timing.sign))
    .number("verify_s", in_seconds(timing.verify))
    .number("encapsulate_s", in_seconds(timing.encapsulate))
    .number("decapsulate_s", in_seconds(timing.decapsulate))
    .flag("prepared_ahead", timing.prepared_ahead)
    .number("bytes", timing.bytes)
    .number("fetch_bytes", timing.fetch_bytes)
    .str();
}

std::string pool_json(const PrekeyPoolStatus & pool)
{
  return JsonWriter::object()
    .number("stored", pool.stored)
    .number("wanted", pool.wanted)
    .number("bytes", pool.bytes)
    .number("bytes_under_way", pool.bytes_under_way)
    .flag("making", pool.making)
    .number("made", pool.made)
    .number("taken", pool.taken)
    .number("missed", pool.missed)
    .number("expired", pool.expired)
    .str();
}

std::string layers_json(const Layers & layers, Instant now)
{
  auto json = JsonWriter::array();
  for (const Layer & layer : layers) {
    json.element(JsonWriter::object()
                   .text("family", names(layer.problem).family)
                   .text("form", names(layer.problem).form)
                   .text("kem", layer.kem)
                   .text("key", to_string(layer.key))
                   .number("age_s", in_seconds(now - layer.since))
                   .str());
  }
  return json.str();
}

std::string fetches_json(const std::vector<KemFetch> & fetches)
{
  auto json = JsonWriter::array();
  for (const KemFetch & fetch : fetches) {
    auto of_kem = JsonWriter::object();
    of_kem.text("kem", display_name(fetch.suite->kem))
      .text("suite", fetch.suite->id)
      .number("fetch_bytes", fetch.fetch_bytes)
      .number("rekey_bytes", fetch.rekey_bytes)
      .flag("ready", fetch.ready);
    if (fetch.fetch) {
      of_kem.number("fetch_s", in_seconds(*fetch.fetch));
    }
    if (fetch.rekey) {
      of_kem.number("rekey_s", in_seconds(*fetch.rekey));
    }
    if (fetch.progress) {
      of_kem.number("progress", *fetch.progress);
    }
    json.element(of_kem.str());
  }
  return json.str();
}

std::string peer_json(const PeerSnapshot & peer, Instant now)
{
  auto json = JsonWriter::object();
  json.text("name", peer.name)
    .text("state", to_string(peer.state))
    .flag("encrypted", is_encrypted(peer))
    .text("likely_cause", peer.likely_cause);
  if (peer.suite != nullptr) {
    const auto served = components(*peer.suite);
    json.text("suite", peer.suite->id)
      .number("level", static_cast<int>(peer.suite->level))
      .number("epoch", static_cast<int>(peer.epoch))
      .number("key_age_s", in_seconds(now - peer.key_installed))
      .number("packets_under_key", peer.packets_under_key)
      .number("key_id", static_cast<std::uint32_t>(peer.receive_id))
      .text("anchor", peer.anchor ? to_string(key_of(*peer.anchor)) : "")
      .text("kem_library", served[0].library)
      .text("signature_library", served[1].library)
      .text("validation", validation_text(served))
      .text("protection", families_text(peer.layers))
      .text("protected_by", protection_text(peer.layers))
      .raw("layers", layers_json(peer.layers, now));
  }
  if (peer.last_heard != Instant{}) {
    json.number("last_heard_s", in_seconds(now - peer.last_heard));
  }
  json.text("address", to_string(peer.address))
    .number("handshakes", peer.handshakes)
    .number("rekeys", peer.rekeys)
    .number("ratchets", peer.ratchets)
    .number("rollbacks", peer.rollbacks)
    .number("prekeys", peer.prekeys)
    .number("exchange_bytes", peer.exchange_bytes)
    .number("fetch_bytes", peer.fetch_bytes)
    .raw("fetches", fetches_json(peer.fetches))
    .flag("stretched", peer.stretched)
    .flag("policy_silent", peer.policy_silent)
    .text("said", peer.said)
    .raw("handshake", timing_json(peer.timing))
    .raw("pool", pool_json(peer.pool))
    .raw("traffic", traffic_json(peer.traffic))
    .raw("link", link_json(peer.link));
  auto paths = JsonWriter::array();
  for (const PathReport & path : peer.paths) {
    paths.element(path_json(path));
  }
  json.raw("paths", paths.str());
  if (peer.remote) {
    json.raw("remote_link", link_json(peer.remote->view))
      .number("remote_age_s", in_seconds(now - peer.remote->received));
  }
  if (peer.clock_valid) {
    json.number("rtt_s", in_seconds(peer.rtt))
      .number("clock_offset_s", in_seconds(peer.clock_offset))
      .number("clock_error_s", in_seconds(peer.clock_error))
      .number("clock_drift_ppm", peer.clock_drift_ppm)
      .number("delay_to_peer_s", in_seconds(peer.delay_to_peer))
      .number("delay_from_peer_s", in_seconds(peer.delay_from_peer));
  }
  return json.str();
}

std::string ports_json(std::uint16_t datagram, const PeerSnapshots & peers)
{
  auto plaintext = JsonWriter::array();
  for (const PeerSnapshot & peer : peers) {
    plaintext.element(std::to_string(peer.plaintext_port));
  }
  return JsonWriter::object().number("datagram", datagram).raw("plaintext", plaintext.str()).str();
}

JsonWriter suite_json(const Suite & suite)
{
  const auto availability = registry().availability(suite);
  auto json = JsonWriter::object();
  json.text("id", suite.id);
  if (!suite.other_id.empty()) {
    json.text("other_id", suite.other_id);
  }
  json.number("level", static_cast<int>(suite.level))
    .number("tier", suite.tier)
    .flag("experimental", suite.experimental)
    .flag("available", availability.available);
  if (availability.available) {
    const auto served = components(suite);
    json.text("kem_library", served[0].library).text("signature_library", served[1].library);
  } else {
    json.text("reason", availability.reason);
  }
  return json;
}

// RFC 3339 in UTC with milliseconds.
std::string time_text(std::chrono::system_clock::time_point when)
{
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(when.time_since_epoch()).count();
  const time_t whole = static_cast<time_t>(since_epoch / 1000);
  tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(since_epoch % 1000));
  return std::string(text.data(), size) + fraction.data() + "Z";
}

}  // namespace

std::string status_json(const Engine & engine)
{
  const EngineSnapshot snapshot = engine.snapshot();
  auto peers = JsonWriter::array();
  for (const PeerSnapshot & peer : snapshot.peers) {
    peers.element(peer_json(peer, snapshot.time));
  }
  auto links = JsonWriter::array();
  for (const LinkStatus & link : snapshot.links) {
    links.element(local_link_json(link));
  }
  return JsonWriter::object()
    .text("time", time_text(std::chrono::system_clock::now()))
    .text("program", program_invocation_short_name)
    .number("pid", ::getpid())
    .text("version", PQC_TUNNEL_VERSION)
    .number("protocol", protocol_version)
    .text("role", to_string(engine.config().role))
    .text("profile", engine.config().profile)
    .flag("aes_instructions", processor_has_aes())
    .raw("ports", ports_json(engine.ports().datagram, snapshot.peers))
    .flag("running", snapshot.running)
    .raw("links", links.str())
    .raw("peers", peers.str())
    .raw("unassigned_drops", drops_json(snapshot.strangers.unassigned))
    .number("hellos_malformed", snapshot.strangers.malformed)
    .number("other_versions", snapshot.strangers.other_version)
    .number("unknown_drones", snapshot.strangers.unknown_drone)
    .number("wrong_keys", snapshot.strangers.wrong_key)
    .number("hellos_repeated", snapshot.strangers.repeated)
    .number("hellos_over_limit", snapshot.strangers.over_limit)
    .number("hellos_discarded", snapshot.hellos_discarded)
    .number("jobs_run", snapshot.jobs_run)
    .str();
}

std::string suites_json(const Engine & engine)
{
  const EngineSnapshot snapshot = engine.snapshot();
  auto suites = JsonWriter::array();
  for (const Suite & suite : registry().all()) {
    auto json = suite_json(suite);
    json.flag("allowed", engine.config().settings.suites.allows(suite));
    for (const PeerSnapshot & peer : snapshot.peers) {
      for (const BlacklistEntry & entry : peer.blacklist) {
        if (entry.suite == &suite) {
          json.text("blacklisted_for", peer.name)
            .number("blacklisted_s", in_seconds(entry.expires - snapshot.time));
        }
      }
    }
    suites.element(json.str());
  }
  return suites.str();
}

std::string suites_json()
{
  auto suites = JsonWriter::array();
  for (const Suite & suite : registry().all()) {
    suites.element(suite_json(suite).str());
  }
  return suites.str();
}

std::string reply_json(const RekeyReply & reply)
{
  auto json = JsonWriter::object();
  json.flag("success", reply.success).text("message", reply.message);
  if (reply.suite != nullptr) {
    json.text("suite", reply.suite->id).number("epoch", static_cast<int>(reply.epoch));
  }
  return json.raw("handshake", timing_json(reply.timing)).str();
}

std::string echo_json(std::uint32_t number, const std::optional<EchoReply> & reply)
{
  auto json = JsonWriter::object();
  json.flag("success", reply && reply->sent);
  if (!reply) {
    json.text("message", "No answer has come in time.");
  } else if (!reply->sent) {
    json.text(
      "message", "There is no session with the peer, or no link carries frames of that length.");
  } else {
    json.number("rtt_s", in_seconds(reply->round_trip))
      .number("answer_bytes", reply->frame_bytes)
      .number("arrived", reply->response.arrived)
      .text("version", to_string(reply->response.version));
  }
  return json.flag("sent", !reply || reply->sent).number("number", number).str();
}

std::string event_line(const Event & event, const Engine & engine)
{
  const auto age =
    std::chrono::duration_cast<std::chrono::system_clock::duration>(monotonic_now() - event.time);
  std::string line =
    time_text(std::chrono::system_clock::now() - age) + " " + name_of(severity(event)) + " ";
  if (event.peer) {
    const auto index = static_cast<std::size_t>(*event.peer);
    const PeerSnapshots peers = engine.latest().peers;
    if (engine.config().role == Role::gcs && index < peers.size()) {
      line += peers[index].name + ": ";
    }
  }
  line += shown(event.text);
  if (event.suite != nullptr) {
    line += " [" + std::string(event.suite->id) + ", epoch " +
            std::to_string(static_cast<int>(event.epoch)) + "]";
  }
  return line;
}

std::string log_line(const std::string & level, const std::string & text)
{
  return time_text(std::chrono::system_clock::now()) + " " + level + " " + shown(text);
}

}  // namespace pqc_tunnel::cli
