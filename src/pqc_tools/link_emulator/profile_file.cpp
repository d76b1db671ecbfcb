// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "profile_file.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "profile_fields.hpp"

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr NumberRange milliseconds{0.0, 3'600'000.0};
constexpr NumberRange percent{0.0, 100.0};
constexpr NumberRange bits_per_s{0.0, 1e11, true};
constexpr NumberRange queue_range{0.0, 1e9, true};
constexpr NumberRange mtu_range{68.0, 65535.0, true};  // the minimum of RFC 791
constexpr NumberRange packet_range{0.0, 65535.0, true};
constexpr NumberRange overhead_range{0.0, 1000.0, true};

FieldReader duration_field(Duration & into)
{
  return [&into](const std::string & name, const YAML::Node & value) -> Result<void> {
    return read_number(name, value, milliseconds).map([&into](double number) {
      into = Duration(std::llround(number * 1e6));
    });
  };
}

FieldReader chance_field(double & into)
{
  return [&into](const std::string & name, const YAML::Node & value) -> Result<void> {
    return read_number(name, value, percent).map([&into](double number) { into = number / 100.0; });
  };
}

template <class T>
FieldReader whole_field(T & into, const NumberRange & range)
{
  return [&into, range](const std::string & name, const YAML::Node & value) -> Result<void> {
    return read_number(name, value, range).map([&into](double number) {
      into = static_cast<T>(number);
    });
  };
}

// Reads a map of fields within a field.
FieldReader group_field(Fields fields)
{
  return [fields = std::move(fields)](const std::string & name, const YAML::Node & value) {
    return read_fields(name + ".", value, fields);
  };
}

Result<Outage> read_outage(const std::string & name, const YAML::Node & value)
{
  Outage outage;
  Duration period{};
  const Fields fields{
    {"start_ms", duration_field(outage.start)},
    {"length_ms", duration_field(outage.length)},
    {"every_ms", duration_field(period)}};
  if (auto read = read_fields(name + ".", value, fields); !read) {
    return tl::make_unexpected(read.error());
  }
  if (value["every_ms"]) {
    outage.period = period;
  }
  if (outage.length <= Duration::zero()) {
    return fail(ErrorCode::invalid_argument, name + " needs a length_ms above 0.");
  }
  if (outage.period && *outage.period <= outage.length) {
    return fail(ErrorCode::invalid_argument, name + ".every_ms must be above its length_ms.");
  }
  return outage;
}

Result<Adversary> read_adversary(const std::string & name, const YAML::Node & value)
{
  Adversary adversary;
  const Fields fields{
    {"min_bytes", whole_field(adversary.min_bytes, packet_range)},
    {"max_bytes", whole_field(adversary.max_bytes, packet_range)},
    {"drop_percent", chance_field(adversary.drop)},
    {"hold_percent", chance_field(adversary.hold)},
    {"hold_ms", duration_field(adversary.hold_time)}};
  if (auto read = read_fields(name + ".", value, fields); !read) {
    return tl::make_unexpected(read.error());
  }
  if (adversary.drop + adversary.hold > 1.0) {
    return fail(
      ErrorCode::invalid_argument, name + ": drop_percent and hold_percent exceed 100 together.");
  }
  if (adversary.hold > 0.0 && adversary.hold_time <= Duration::zero()) {
    return fail(ErrorCode::invalid_argument, name + ": hold_percent needs a hold_ms above 0.");
  }
  return adversary;
}

FieldReader text_field(std::string & into)
{
  return [&into](const std::string & name, const YAML::Node & value) -> Result<void> {
    if (!value.IsScalar()) {
      return fail(ErrorCode::invalid_argument, name + " must be text.");
    }
    into = value.Scalar();
    return {};
  };
}

// Reads a list, with `read` for each entry.
template <class T>
FieldReader list_field(
  std::vector<T> & into, Result<T> (*read)(const std::string &, const YAML::Node &),
  const std::string & example)
{
  return [&into, read, example](
           const std::string & name, const YAML::Node & value) -> Result<void> {
    if (!value.IsSequence()) {
      return fail(
        ErrorCode::invalid_argument, name + " must be a list of entries such as " + example + ".");
    }
    into.clear();
    for (std::size_t i = 0; i < value.size(); ++i) {
      auto entry = read(name + "[" + std::to_string(i) + "]", value[i]);
      if (!entry) {
        return tl::make_unexpected(entry.error());
      }
      into.push_back(std::move(*entry));
    }
    return {};
  };
}

FieldReader switch_field(bool & into)
{
  return [&into](const std::string & name, const YAML::Node & value) -> Result<void> {
    if (!value.IsScalar() || (value.Scalar() != "true" && value.Scalar() != "false")) {
      return fail(ErrorCode::invalid_argument, name + " must be true or false.");
    }
    into = value.Scalar() == "true";
    return {};
  };
}

FieldReader channel_field(ChannelSettings & into)
{
  return group_field(
    {{"delay_ms", duration_field(into.delay)},
     {"jitter_ms", duration_field(into.jitter)},
     {"loss_percent", chance_field(into.loss)},
     {"burst_loss", group_field(
                      {{"enter_percent", chance_field(into.burst.enter)},
                       {"leave_percent", chance_field(into.burst.leave)},
                       {"loss_percent", chance_field(into.burst.loss)}})},
     {"reorder_percent", chance_field(into.reorder)},
     {"reorder_delay_ms", duration_field(into.reorder_delay)},
     {"duplicate_percent", chance_field(into.duplicate)},
     {"corrupt_percent", chance_field(into.corrupt)},
     {"byte_error_percent", chance_field(into.byte_errors)},
     {"rate_bits_per_s", whole_field(into.rate_bits_per_s, bits_per_s)},
     {"queue_bytes", whole_field(into.queue_bytes, queue_range)},
     {"mtu_bytes", whole_field(into.mtu_bytes, mtu_range)},
     {"overhead_bytes", whole_field(into.overhead_bytes, overhead_range)},
     {"outages", list_field(into.outages, read_outage, "{start_ms: 5000, length_ms: 800}")},
     {"adversary",
      list_field(into.adversaries, read_adversary, "{min_bytes: 400, drop_percent: 50}")}});
}

Result<Profile> read_profile(const YAML::Node & root)
{
  Profile profile;
  ChannelSettings both;
  both.overhead_bytes = 28;  // IPv4 and UDP
  both.queue_bytes = 65536;
  const auto ignore = [](const std::string &, const YAML::Node &) { return Result<void>(); };
  Duration rebind{};
  Fields fields{
    {"description", text_field(profile.description)},
    {"half_duplex", switch_field(profile.half_duplex)},
    {"nat_rebind_ms", duration_field(rebind)},
    {"both", channel_field(both)},
    {"drone_to_gcs", ignore},
    {"gcs_to_drone", ignore}};
  if (auto read = read_fields("", root, fields); !read) {
    return tl::make_unexpected(read.error());
  }
  if (rebind > Duration::zero()) {
    profile.nat_rebind = rebind;
  }
  // A direction overrides single fields of `both`, wherever it stands in the file.
  for (auto & [name, channel] :
       {std::pair<const char *, ChannelSettings &>{"drone_to_gcs", profile.drone_to_gcs},
        std::pair<const char *, ChannelSettings &>{"gcs_to_drone", profile.gcs_to_drone}})
  {
    channel = both;
    if (const YAML::Node given = root[name]) {
      if (auto read = channel_field(channel)(name, given); !read) {
        return tl::make_unexpected(read.error());
      }
    }
  }
  return profile;
}

}  // namespace

Result<Profile> load_profile(const std::filesystem::path & file)
{
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return fail(ErrorCode::unavailable, "Link profile " + file.string() + " does not exist.");
  }
  std::ifstream stream(file);
  std::ostringstream text;
  if (!std::filesystem::is_regular_file(file, ignored) || !(text << stream.rdbuf())) {
    return fail(ErrorCode::permission, "Link profile " + file.string() + " cannot be read.");
  }
  return parse_profile(text.str()).map_error([&file](const Error & error) {
    return Error{error.code, "Link profile " + file.string() + ": " + error.message};
  });
}

Result<Profile> parse_profile(const std::string & text)
{
  try {
    return read_profile(YAML::Load(text));
  } catch (const YAML::ParserException & error) {
    return fail(
      ErrorCode::invalid_argument,
      "line " + std::to_string(error.mark.line + 1) + " is not valid YAML (" + error.msg + ").");
  } catch (const YAML::Exception & error) {
    return fail(ErrorCode::invalid_argument, "it is not valid YAML (" + error.msg + ").");
  }
}

}  // namespace pqc_tunnel::link_emulator
