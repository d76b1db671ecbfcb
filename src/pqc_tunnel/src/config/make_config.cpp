// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "config.hpp"
#include "exposure_parameters.hpp"
#include "parameter_check.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"
#include "protocol/suite_objection.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t ipv4_and_udp_headers = 28;

// Typed access to all parameters, after complete_parameters() has checked their types.
class Reader
{
public:
  explicit Reader(const ParameterValues & values) : values_(values) {}

  bool flag(const std::string & name) const { return std::get<bool>(values_.at(name)); }
  std::int64_t integer(const std::string & name) const
  {
    return std::get<std::int64_t>(values_.at(name));
  }
  const std::string & text(const std::string & name) const
  {
    return std::get<std::string>(values_.at(name));
  }
  const std::vector<std::string> & list(const std::string & name) const
  {
    return std::get<std::vector<std::string>>(values_.at(name));
  }
  Duration seconds(const std::string & name) const
  {
    return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::get<double>(values_.at(name))));
  }
  std::string shown(const std::string & name) const { return to_text(values_.at(name)); }
  HostPort host_port(const std::string & address, const std::string & port) const
  {
    return {text(address), static_cast<std::uint16_t>(integer(port))};
  }

private:
  const ParameterValues & values_;
};

tl::unexpected<Error> bad(std::string sentence)
{
  return fail(ErrorCode::invalid_argument, std::move(sentence));
}

Result<void> check_required(Role role, const Reader & values)
{
  std::vector<std::string> texts{"identity_dir", "plaintext_bind_address"};
  std::vector<std::string> ports{"datagram_port", "handshake_port"};
  if (role == Role::drone) {
    texts.insert(texts.end(), {"gcs_address", "suite"});
    ports.insert(ports.end(), {"gcs_datagram_port", "plaintext_port"});
  } else {
    if (values.list("drones").empty()) {
      return bad("Parameter drones is empty, but must name at least one drone.");
    }
    for (const auto & name : values.list("drones")) {
      ports.push_back("drone." + name + ".plaintext_port");
    }
  }
  for (const auto & name : texts) {
    if (values.text(name).empty()) {
      return bad("Parameter " + name + " is empty, but a " + to_string(role) + " needs it.");
    }
  }
  for (const auto & name : ports) {
    if (values.integer(name) == 0) {
      return bad("Parameter " + name + " is 0, but must be a port from 1 to 65535.");
    }
  }
  return {};
}

Result<void> check_drone_names(const std::vector<std::string> & names)
{
  std::set<std::string> seen;
  for (const auto & name : names) {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!plain) {
      return bad(
        "Parameter drones names \"" + name +
        "\", but a name may hold only small letters, digits and underscores.");
    }
    if (!seen.insert(name).second) {
      return bad("Parameter drones names " + name + " twice.");
    }
  }
  return {};
}

Result<const Suite *> find_suite(
  const std::string & parameter, const std::string & id, std::vector<const Suite *> usable)
{
  std::erase_if(usable, [](const Suite * one) { return !registry().availability(*one).available; });
  auto suite = pqc_tunnel::find_suite(id, usable);
  if (!suite) {
    return bad("Parameter " + parameter + ": " + suite.error().message);
  }
  return suite;
}

Result<SuitePolicy> make_policy(const Reader & values)
{
  const auto level = values.integer("min_level");
  if (level != 1 && level != 3 && level != 5) {
    return bad("Parameter min_level is " + std::to_string(level) + ", but must be 1, 3 or 5.");
  }
  const bool experimental = values.flag("allow_experimental");
  const SuitePolicy general(static_cast<SecurityLevel>(level), experimental);
  std::vector<const Suite *> allowed;
  for (const auto & id : values.list("allowed_suites")) {
    const auto suite = find_suite("allowed_suites", id, general.allowed());
    if (!suite) {
      return tl::make_unexpected(suite.error());
    }
    if (static_cast<std::int64_t>((*suite)->level) < level) {
      return bad(
        "Parameter allowed_suites names " + id + ", which is of level " +
        std::to_string(static_cast<int>((*suite)->level)) + ", below min_level " +
        std::to_string(level) + ".");
    }
    if ((*suite)->experimental && !experimental) {
      return bad(
        "Parameter allowed_suites names " + id +
        ", which is experimental; set allow_experimental to true if you mean it.");
    }
    allowed.push_back(*suite);
  }
  return allowed.empty() ? general : SuitePolicy(std::move(allowed));
}

Result<const Suite *> initial_suite(const Reader & values, const SuitePolicy & policy)
{
  const std::string & id = values.text("suite");
  auto suite = find_suite("suite", id, policy.allowed());
  if (!suite) {
    return suite;
  }
  const auto level = static_cast<std::int64_t>((*suite)->level);
  if (level < values.integer("min_level")) {
    return bad(
      "Parameter suite is " + id + ", which is of level " + std::to_string(level) +
      ", below min_level " + values.shown("min_level") + ".");
  }
  if (!policy.allows(**suite)) {
    return bad(
      "Parameter suite is " + id + ", which is not allowed: " + policy.objection(**suite) + ".");
  }
  const auto available = registry().availability(**suite);
  if (!available.available) {
    return fail(
      ErrorCode::unavailable,
      "Parameter suite is " + id + ", which is unavailable here: " + available.reason);
  }
  return suite;
}

Result<HelloPoolSettings> make_hello_pool(const Reader & values, const SuitePolicy & policy)
{
  HelloPoolSettings pool;
  pool.depth = static_cast<std::size_t>(values.integer("hello_pool.depth"));
  pool.max_bytes = static_cast<std::size_t>(values.integer("hello_pool.max_bytes"));
  pool.max_age = values.seconds("hello_pool.max_age_s");
  for (const auto & id : values.list("hello_pool.suites")) {
    const auto suite = find_suite("hello_pool.suites", id, policy.allowed());
    if (!suite) {
      return tl::make_unexpected(suite.error());
    }
    if (!policy.allows(**suite)) {
      return bad(
        "Parameter hello_pool.suites names " + id +
        ", which is not allowed: " + policy.objection(**suite) + ".");
    }
    pool.suites.push_back(*suite);
  }
  return pool;
}

Result<TunnelSettings> make_settings(Role role, const Reader & values)
{
  auto policy = make_policy(values);
  if (!policy) {
    return tl::make_unexpected(policy.error());
  }
  TunnelSettings settings;
  settings.suites = std::move(*policy);
  if (role == Role::drone) {
    const auto suite = initial_suite(values, settings.suites);
    if (!suite) {
      return tl::make_unexpected(suite.error());
    }
    settings.initial_suite = *suite;
  } else {
    auto pool = make_hello_pool(values, settings.suites);
    if (!pool) {
      return tl::make_unexpected(pool.error());
    }
    settings.hello_pool = std::move(*pool);
  }
  settings.mode.hybrid_x25519 = values.flag("hybrid_x25519");
  settings.mode.drone_signature = values.flag("drone_signature");
  settings.replay_window = static_cast<std::size_t>(values.integer("replay_window_packets"));
  settings.max_datagram = static_cast<std::size_t>(values.integer("link_mtu_bytes")) -
                          ipv4_and_udp_headers - frame_header_size - tag_size;
  settings.max_key_age = values.seconds("rekey.max_age_s");
  settings.blacklist_ttl = values.seconds("blacklist_ttl_s");
  settings.peer_timeout = values.seconds("peer_timeout_s");
  settings.keepalive_interval = values.seconds("keepalive_interval_s");
  settings.report_interval = values.seconds("report_interval_s");
  settings.handshake_timeout = values.seconds("handshake_timeout_s");
  settings.slow_handshake_timeout = values.seconds("slow_handshake_timeout_s");
  if (settings.keepalive_interval >= settings.peer_timeout) {
    return bad(
      "Parameter keepalive_interval_s is " + values.shown("keepalive_interval_s") +
      ", but must be less than peer_timeout_s, or a quiet link would look lost.");
  }
  return settings;
}

Result<HostPort> optional_host_port(const Reader & values, const std::string & stem)
{
  const std::string address = stem + "_address";
  const std::string port = stem + "_port";
  HostPort where = values.host_port(address, port);
  if (where.port != 0 && where.host.empty()) {
    return bad("Parameter " + address + " is empty, but " + port + " is given.");
  }
  return where;
}

Result<PlaintextConfig> make_plaintext(const Reader & values, const std::string & drone)
{
  const std::string prefix = drone.empty() ? "" : "drone." + drone + ".";
  PlaintextConfig config;
  config.name = drone;
  config.bind = {
    values.text("plaintext_bind_address"),
    static_cast<std::uint16_t>(values.integer(prefix + "plaintext_port"))};
  auto peer = optional_host_port(values, prefix + "plaintext_peer");
  auto mirror = optional_host_port(values, prefix + "mirror");
  for (const auto * where : {&peer, &mirror}) {
    if (!*where) {
      return tl::make_unexpected(where->error());
    }
  }
  config.peer = std::move(*peer);
  config.mirror = std::move(*mirror);
  return config;
}

Result<void> check_distinct_ports(const EngineConfig & config)
{
  std::set<std::uint16_t> seen;
  for (const auto & plaintext : config.plaintexts) {
    if (!seen.insert(plaintext.bind.port).second) {
      return bad(
        "Parameter drone." + plaintext.name + ".plaintext_port is " +
        std::to_string(plaintext.bind.port) + ", which another drone has already.");
    }
  }
  return {};
}

}  // namespace

Result<EngineConfig> make_engine_config(Role role, const ParameterValues & given)
{
  const auto complete = complete_parameters(role, given);
  if (!complete) {
    return tl::make_unexpected(complete.error());
  }
  const Reader values(*complete);
  if (!values.text("role").empty() && parse_role(values.text("role")) != role) {
    return bad(
      "Parameter role is " + values.text("role") + ", but must be " + to_string(role) + " here.");
  }
  auto checked = check_required(role, values);
  if (checked && role == Role::gcs) {
    checked = check_drone_names(values.list("drones"));
  }
  if (!checked) {
    return tl::make_unexpected(checked.error());
  }
  if (const auto allowed = allowed_sockets(*complete); !allowed) {
    return tl::make_unexpected(allowed.error());
  }
  auto settings = make_settings(role, values);
  if (!settings) {
    return tl::make_unexpected(settings.error());
  }

  EngineConfig config;
  config.role = role;
  config.identity_dir = values.text("identity_dir");
  config.settings = std::move(*settings);
  config.datagram_bind = values.host_port("bind_address", "datagram_port");
  std::vector<std::string> drones{""};
  if (role == Role::drone) {
    config.handshake = values.host_port("gcs_address", "handshake_port");
    config.gcs_datagram = values.host_port("gcs_address", "gcs_datagram_port");
  } else {
    config.handshake = values.host_port("bind_address", "handshake_port");
    drones = values.list("drones");
  }
  const HostPort & ground = config.handshake;
  const bool is_ipv6 = ground.host.find(':') != std::string::npos;
  config.settings.ground = {
    (is_ipv6 ? "[" + ground.host + "]" : ground.host) + ":" + std::to_string(ground.port),
    ground.port, role == Role::drone ? config.gcs_datagram.port : config.datagram_bind.port};
  for (const auto & drone : drones) {
    auto plaintext = make_plaintext(values, drone);
    if (!plaintext) {
      return tl::make_unexpected(plaintext.error());
    }
    config.plaintexts.push_back(std::move(*plaintext));
  }
  if (const auto distinct = check_distinct_ports(config); !distinct) {
    return tl::make_unexpected(distinct.error());
  }
  config.packet_thread.priority = static_cast<int>(values.integer("packet_thread.priority"));
  config.packet_thread.cpu = static_cast<int>(values.integer("packet_thread.cpu"));
  config.packet_thread.receive_buffer_bytes =
    static_cast<std::size_t>(values.integer("packet_thread.receive_buffer_bytes"));
  config.packet_thread.lock_memory = values.flag("packet_thread.lock_memory");
  config.worker_threads = static_cast<std::size_t>(values.integer("worker_threads"));
  return config;
}

}  // namespace pqc_tunnel
