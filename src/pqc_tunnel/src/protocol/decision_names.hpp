// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__DECISION_NAMES_HPP_
#define PQC_TUNNEL__PROTOCOL__DECISION_NAMES_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace pqc_tunnel
{

// --- Names of the policy that a decision's notice carries as a byte: their place in a table, from 1; 0: none. New
// names are added at the end. ---

inline constexpr std::array<std::string_view, 4> hold_names = {
  "under_way", "retry", "interruption", "limit"};
inline constexpr std::array<std::string_view, 6> phase_names = {"on_ground", "take_off", "climb",
                                                                "transit",   "hover",    "landing"};
inline constexpr std::array<std::string_view, 11> attack_names = {
  "volumetric", "jamming", "timing", "protocol", "creeping", "loss",
  "fall",       "surge",   "flood",  "forgery",  "replay"};
inline constexpr std::array<std::string_view, 4> cue_names = {
  "loss", "jammed", "flood", "creeping"};
// Required inputs, by their bit in the notice.
inline constexpr std::array<std::string_view, 5> input_names = {
  "link", "battery", "thermal", "armed", "session"};

// Of a name that the table lacks, and what such a byte is called.
inline constexpr std::uint8_t other_code = 0xff;
inline constexpr std::string_view other_name = "other";

constexpr std::uint8_t code_of(std::span<const std::string_view> names, std::string_view name)
{
  if (name.empty()) {
    return 0;
  }
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? other_code : static_cast<std::uint8_t>(found - names.begin() + 1);
}

constexpr std::string_view name_of(std::span<const std::string_view> names, std::uint8_t code)
{
  if (code == 0) {
    return {};
  }
  return code <= names.size() ? names[code - 1u] : other_name;
}

inline constexpr std::uint8_t hold_under_way = code_of(hold_names, "under_way");
inline constexpr std::uint8_t hold_retry = code_of(hold_names, "retry");

// What the operator should do, for a line of 50 bytes with "PQC " before it.
constexpr std::string_view cue_text(std::uint8_t code)
{
  constexpr std::array<std::string_view, cue_names.size()> texts = {
    "loss: slow down, or heavy detectors off",
    "jammed: climb, change channel, or turn back",
    "flood: block its source before the drone",
    "creeping attack: watch the link",
  };
  if (code == 0) {
    return {};
  }
  return code <= texts.size() ? texts[code - 1u] : "cue: see the drone's decision";
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__DECISION_NAMES_HPP_
