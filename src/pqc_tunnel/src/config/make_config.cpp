// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/nearest_name.hpp"
#include "config.hpp"
#include "crypto/suites/suite.hpp"
#include "make_links.hpp"
#include "net/address.hpp"
#include "parameter_check.hpp"
#include "parameter_reader.hpp"
#include "profiles.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t max_tunnel_name = 64;  // so that the path fits a local socket

// Before all other problems of suites, most of which follow from this one.
void use_profile(ParameterValues & values, Problems & problems)
{
  const std::string profile = profile_of(values);
  const auto names = profile_names();
  if (std::ranges::find(names, profile) == names.end()) {
    problems.add(
      "Parameter profile is " + profile + ", which is unknown" + suggestion(profile, names));
  }
  if (auto refused = apply_refusals(profile, values)) {
    problems.add(std::move(*refused));
  }
}

void check_required(Role role, const Reader & values, Problems & problems)
{
  std::vector<std::string> texts{"identity_dir", "plaintext_bind_address"};
  std::vector<std::string> ports;
  if (values.list("links").empty()) {
    ports.emplace_back("datagram_port");
    if (role == Role::drone) {
      texts.emplace_back("gcs_address");
      ports.emplace_back("gcs_datagram_port");
    }
  }
  if (role == Role::drone || values.integer("min_level") == 0) {
    texts.emplace_back("suite");
  }
  ports.emplace_back("plaintext_port");
  for (const auto & name : texts) {
    if (values.text(name).empty()) {
      problems.add("Parameter " + name + " is empty, but a " + to_string(role) + " needs it.");
    }
  }
  for (const auto & name : ports) {
    if (values.integer(name) == 0) {
      problems.add("Parameter " + name + " is 0, but must be a port from 1 to 65535.");
    }
  }
}

// The suite with this id; null, with a problem, if there is none. The problem names the nearest usable one.
const Suite * named_suite(
  const std::string & parameter, const std::string & id, std::vector<const Suite *> usable,
  Problems & problems)
{
  std::erase_if(usable, [](const Suite * one) { return !registry().availability(*one).available; });
  const auto suite = find_suite(id, usable);
  if (!suite) {
    problems.add("Parameter " + parameter + ": " + suite.error().message);
    return nullptr;
  }
  return *suite;
}

bool is_level(std::int64_t level) { return level == 1 || level == 3 || level == 5; }

// The suite that the lowest level comes from: none if min_level gives it, or if there is no such suite.
const Suite * floor_suite(const Reader & values)
{
  return values.integer("min_level") == 0 ? registry().find(values.text("suite")) : nullptr;
}

SuitePolicy make_policy(const Reader & values, Problems & problems)
{
  auto level = values.integer("min_level");
  const Suite * const of = floor_suite(values);
  if (of != nullptr) {
    level = static_cast<std::int64_t>(of->level);
  } else if (!is_level(level)) {
    if (level != 0) {
      problems.add(
        "Parameter min_level is " + std::to_string(level) + ", but must be 0, 1, 3 or 5.");
    }
    level = 1;
  }
  const bool experimental = values.flag("allow_experimental");
  const SuitePolicy general(static_cast<SecurityLevel>(level), experimental, of);
  std::vector<const Suite *> allowed;
  for (const auto & id : values.list("allowed_suites")) {
    const Suite * const suite = named_suite("allowed_suites", id, general.allowed(), problems);
    if (suite == nullptr) {
      continue;
    }
    if (static_cast<std::int64_t>(suite->level) < level) {
      problems.add(
        "Parameter allowed_suites names " + id + ", which is of level " +
        std::to_string(static_cast<int>(suite->level)) + ", below " +
        (of == nullptr ? "min_level " + std::to_string(level) + "."
                       : "that of suite " + std::string(of->id) + ", which is " +
                           std::to_string(level) + "; set min_level if you mean it."));
    }
    if (suite->experimental && !experimental) {
      problems.add(
        "Parameter allowed_suites names " + id +
        ", which is experimental; set allow_experimental to true if you mean it.");
    }
    allowed.push_back(suite);
  }
  return allowed.empty() ? general : SuitePolicy(std::move(allowed));
}

const Suite * initial_suite(const Reader & values, const SuitePolicy & policy, Problems & problems)
{
  const std::string & id = values.text("suite");
  const Suite * const suite =
    id.empty() ? nullptr : named_suite("suite", id, policy.allowed(), problems);
  if (suite == nullptr) {
    return nullptr;
  }
  const auto level = static_cast<std::int64_t>(suite->level);
  const auto floor = values.integer("min_level");
  if (is_level(floor) && level < floor) {
    problems.add(
      "Parameter suite is " + id + ", which is of level " + std::to_string(level) +
      ", below min_level " + values.shown("min_level") + ".");
  } else if (!policy.allows(*suite)) {
    problems.add(
      "Parameter suite is " + id + ", which is not allowed: " + policy.objection(*suite) + ".");
  }
  if (const auto available = registry().availability(*suite); !available.available) {
    problems.add(Error{
      ErrorCode::unavailable,
      "Parameter suite is " + id + ", which is unavailable here: " + available.reason});
  }
  return suite;
}

// A ground station needs to know it for its level alone.
void check_suite_of_drones(const Reader & values, const SuitePolicy & policy, Problems & problems)
{
  const std::string & id = values.text("suite");
  if (values.integer("min_level") == 0 && !id.empty()) {
    named_suite("suite", id, policy.allowed(), problems);
  }
}

PrekeyPoolSettings make_prekey_pool(
  const Reader & values, const SuitePolicy & policy, Problems & problems)
{
  PrekeyPoolSettings pool;
  pool.max_bytes = static_cast<std::size_t>(values.integer("prekey_pool.max_bytes"));
  for (const auto & id : values.list("prekey_pool.suites")) {
    const Suite * const suite = named_suite("prekey_pool.suites", id, policy.allowed(), problems);
    if (suite == nullptr) {
      continue;
    }
    if (!policy.allows(*suite)) {
      problems.add(
        "Parameter prekey_pool.suites names " + id +
        ", which is not allowed: " + policy.objection(*suite) + ".");
    }
    pool.suites.push_back(suite);
  }
  return pool;
}

TunnelSettings make_settings(Role role, const Reader & values, Problems & problems)
{
  TunnelSettings settings;
  settings.suites = make_policy(values, problems);
  if (role == Role::drone) {
    settings.initial_suite = initial_suite(values, settings.suites, problems);
  } else {
    check_suite_of_drones(values, settings.suites, problems);
    settings.prekey_pool = make_prekey_pool(values, settings.suites, problems);
  }
  settings.mode.hybrid_x25519 = values.flag("hybrid_x25519");
  settings.mode.drone_signature = values.flag("drone_signature");
  if (const auto anchor = parse_anchor_use(values.text("anchor"))) {
    settings.anchor = *anchor;
  } else {
    problems.add(
      "Parameter anchor is \"" + values.text("anchor") + "\", but must be auto, required or off.");
  }
  settings.max_key_age = values.seconds("rekey.max_age_s");
  settings.peer_timeout = values.seconds("peer_timeout_s");
  settings.keepalive_interval = values.seconds("keepalive_interval_s");
  settings.report_interval = values.seconds("report_interval_s");
  settings.max_age = values.seconds("max_age_s");
  settings.wipe_after = values.seconds("wipe_after_s");
  if (role == Role::drone) {
    settings.max_ratchets = static_cast<std::uint32_t>(values.integer("rekey.max_ratchets"));
    settings.erase_on_request = values.flag("erase_on_request");
    settings.prefetch_airtime = values.number("prefetch.airtime");
    settings.prefetch_max_bytes = static_cast<std::size_t>(values.integer("prefetch.max_bytes"));
  }
  if (settings.wipe_after > Duration{} && settings.wipe_after <= settings.peer_timeout) {
    problems.add(
      "Parameter wipe_after_s is " + values.shown("wipe_after_s") +
      ", but must be more than peer_timeout_s, or 0 for never.");
  }
  if (settings.keepalive_interval >= settings.peer_timeout) {
    problems.add(
      "Parameter keepalive_interval_s is " + values.shown("keepalive_interval_s") +
      ", but must be less than peer_timeout_s, or a quiet link would look lost.");
  }
  return settings;
}

const char * called(Role role) { return role == Role::drone ? "drone" : "ground station"; }

// Takes the parameters out that only the other end has.
std::vector<std::string> take_those_of_the_other_end(Role role, ParameterValues & given)
{
  std::vector<std::string> names;
  for (const auto & spec : parameter_specs(role == Role::drone ? Role::gcs : Role::drone, given)) {
    if (spec.only && given.erase(spec.name) > 0) {
      names.push_back(spec.name);
    }
  }
  std::ranges::sort(names, {}, &std::string::size);  // the best known ones are short
  return names;
}

// Before all other problems, most of which follow from this one.
void check_whose_file_it_is(
  Role role, const ParameterValues & given, const std::vector<std::string> & foreign,
  Problems & problems)
{
  const Role other = role == Role::drone ? Role::gcs : Role::drone;
  const auto named = given.find("role");
  const std::string text = named == given.end() ? to_string(role) : to_text(named->second);
  if (const auto named_role = parse_role(text); named_role != role) {
    problems.add(
      "Parameter role is " + text + ", but must be " + to_string(role) + " here" +
      (named_role ? ": this is the " + std::string(called(other)) + "'s file." : "."));
  } else if (foreign.size() == 1) {
    problems.add(
      "Parameter " + foreign[0] + " is one of a " + called(other) + ", but this end is a " +
      called(role) + ".");
  } else if (!foreign.empty()) {
    problems.add(
      "This is the " + std::string(called(other)) + "'s file, but this end is a " + called(role) +
      ": " + foreign[0] + " and " + foreign[1] + " are parameters of a " + called(other) + ".");
  }
}

HostPort optional_host_port(const Reader & values, const std::string & stem, Problems & problems)
{
  const std::string address = stem + "_address";
  const std::string port = stem + "_port";
  HostPort where = values.host_port(address, port);
  if (where.port != 0 && where.host.empty()) {
    problems.add("Parameter " + address + " is empty, but " + port + " is given.");
  }
  return where;
}

std::vector<std::uint32_t> message_ids(
  const Reader & values, const std::string & name, Problems & problems)
{
  constexpr std::uint32_t greatest = (1U << 24) - 1;
  const auto no_id = [&](const std::string & text) {
    return "Parameter " + name + " contains " + text +
           ", but must contain ids of MAVLink messages, numbers from 0 to 16777215.";
  };
  std::vector<std::uint32_t> ids;
  for (const std::string & text : values.list(name)) {
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size() || id > greatest) {
      problems.add(no_id(text));
      continue;
    }
    ids.push_back(id);
  }
  return ids;
}

PlaintextConfig make_plaintext(
  const Reader & values, const std::string & bind_address, Problems & problems)
{
  PlaintextConfig config;
  config.bind = {bind_address, static_cast<std::uint16_t>(values.integer("plaintext_port"))};
  config.peer = optional_host_port(values, "plaintext_peer", problems);
  config.mirror = optional_host_port(values, "mirror", problems);
  config.mirror_messages = message_ids(values, "mirror_messages", problems);
  return config;
}

// The inverse of make_plaintext().
ParameterValues to_values(const PlaintextConfig & config)
{
  std::vector<std::string> messages;
  for (const std::uint32_t id : config.mirror_messages) {
    messages.push_back(std::to_string(id));
  }
  return {
    {"plaintext_port", std::int64_t{config.bind.port}},
    {"plaintext_peer_address", config.peer.host},
    {"plaintext_peer_port", std::int64_t{config.peer.port}},
    {"mirror_address", config.mirror.host},
    {"mirror_port", std::int64_t{config.mirror.port}},
    {"mirror_messages", std::move(messages)},
  };
}

}  // namespace

bool is_tunnel_name(std::string_view name)
{
  return !name.empty() && name.size() <= max_tunnel_name && name.front() != '.' &&
         name.front() != '-' && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

Result<Role> role_of(const ParameterValues & values)
{
  const auto given = values.find("role");
  const std::string text = given == values.end() ? "empty" : to_text(given->second);
  if (const auto role = parse_role(text)) {
    return *role;
  }
  return fail(
    ErrorCode::invalid_argument, "Parameter role is " + text + ", but must be drone or gcs.");
}

Result<EngineConfig> make_engine_config(Role role, const ParameterValues & given)
{
  std::vector<Error> problems;
  auto config = make_engine_config(role, given, problems);
  if (!problems.empty()) {
    return tl::make_unexpected(problems.front());
  }
  return config;
}

EngineConfig make_engine_config(
  Role role, const ParameterValues & all_given, std::vector<Error> & all_problems)
{
  Problems problems(all_problems);
  auto given = all_given;
  const auto foreign = take_those_of_the_other_end(role, given);
  check_whose_file_it_is(role, given, foreign, problems);
  auto complete = complete_parameters(role, given, all_problems);
  use_profile(complete, problems);
  const Reader values(complete);
  check_required(role, values, problems);

  EngineConfig config;
  config.role = role;
  config.profile = values.text("profile");
  config.control_name = values.text("control_name");
  if (!config.control_name.empty() && !is_tunnel_name(config.control_name)) {
    problems.add(
      "Parameter control_name is " + config.control_name +
      ", but may hold only letters, digits, underscores, dots and hyphens.");
  }
  config.identity_dir = values.text("identity_dir");
  config.settings = make_settings(role, values, problems);
  make_links(role, values, config, problems);
  config.plaintext = make_plaintext(values, values.text("plaintext_bind_address"), problems);
  config.packet_thread.priority = static_cast<int>(values.integer("packet_thread.priority"));
  config.packet_thread.lock_memory = values.flag("packet_thread.lock_memory");
  config.announce_decisions = role == Role::gcs && values.flag("announce_decisions");
  return config;
}

bool is_drone_name(std::string_view name)
{
  constexpr std::size_t longest = 64;
  return !name.empty() && name.size() <= longest && name != "gcs" &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

Result<PlaintextConfig> plaintext_of_drone(
  const PlaintextConfig & all, const std::string & drone, std::uint16_t number,
  const std::filesystem::path & file)
{
  constexpr std::uint32_t last_port = 65535;
  PlaintextConfig config = all;
  if (all.bind.port != 0) {  // port 0 is any free one
    const std::uint32_t port = std::uint32_t{all.bind.port} + number;
    config.bind.port = static_cast<std::uint16_t>(port <= last_port ? port : 0);
  }
  ParameterValues given;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    auto loaded = load_plain_file(file);
    if (!loaded) {
      return tl::make_unexpected(loaded.error());
    }
    given = std::move(*loaded);
  }
  const ParameterValues defaults = to_values(config);
  auto specs = parameter_specs(Role::gcs, {});
  std::erase_if(specs, [](const ParameterSpec & spec) { return !spec.of_each_drone; });
  for (ParameterSpec & spec : specs) {
    spec.default_value = defaults.at(spec.name);
  }
  std::vector<Error> errors;
  Problems problems(errors);
  const auto values = complete_parameters(specs, given, errors);
  config = make_plaintext(Reader(values), all.bind.host, problems);
  config.name = drone;
  if (config.bind.port == 0 && all.bind.port != 0) {
    problems.add("No port from 1 to 65535 is left for it: give it a plaintext_port.");
  }
  if (!errors.empty()) {
    return fail(errors.front().code, file.string() + ": " + errors.front().message);
  }
  return config;
}

}  // namespace pqc_tunnel
