// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__REQUEST_NOTICES_HPP_
#define PQC_TUNNEL__PROTOCOL__REQUEST_NOTICES_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "notice.hpp"
#include "pqc_tunnel/crypto/suite.hpp"

namespace pqc_tunnel
{

// --- What the ground station asks a drone's programs, and what they answer. ---

struct HoldRequest
{
  static constexpr Duration longest = std::chrono::hours(24);

  bool release = false;
  const Suite * suite = nullptr;  // null without release: one that is unknown here
  Duration time{};                // in steps of 1 ms

  friend bool operator==(const HoldRequest &, const HoldRequest &) = default;
};

struct CaptureRequest
{
  static constexpr std::size_t longest_name = 40;
  static constexpr Duration longest = std::chrono::hours(24);
  static constexpr double highest_rate_hz = 6553.5;

  Duration time{};     // in steps of 1 ms
  double rate_hz = 0;  // in steps of 0.1; 0: the drone's highest
  std::string name;    // of the file: visible ASCII

  friend bool operator==(const CaptureRequest &, const CaptureRequest &) = default;
};

using RequestContent = std::variant<HoldRequest, CaptureRequest>;

// Repeated until it is answered. The drone carries out each id once.
struct GroundRequest
{
  std::uint32_t id = 0;
  std::uint8_t text_from = 0;  // this much of the answer's text is here already
  RequestContent content;

  friend bool operator==(const GroundRequest &, const GroundRequest &) = default;
};

enum class AnswerState : std::uint8_t
{
  under_way = 1,
  done = 2,
  refused = 3,  // or it has failed; the text says why
};

struct CaptureResult
{
  std::uint32_t samples = 0;
  Duration time{};      // in steps of 1 ms
  double energy_j = 0;  // in steps of 1 mJ

  friend bool operator==(const CaptureResult &, const CaptureResult &) = default;
};

struct GroundAnswer
{
  static constexpr std::size_t longest_text = 250;  // what is longer is cut

  AnswerState state = AnswerState::under_way;
  CaptureResult capture;  // zeros for other requests
  std::string text;       // one sentence for a person

  friend bool operator==(const GroundAnswer &, const GroundAnswer &) = default;
};

// An answer with the part of its text that one notice has room for.
struct AnswerPiece
{
  std::uint32_t id = 0;
  AnswerState state = AnswerState::under_way;
  CaptureResult capture;
  std::uint8_t text_size = 0;  // of the whole text
  std::uint8_t text_from = 0;  // where the part begins
  std::string part;

  friend bool operator==(const AnswerPiece &, const AnswerPiece &) = default;
};

AnswerPiece piece_of(std::uint32_t id, const GroundAnswer & answer, std::uint8_t text_from);

Notice to_notice(const GroundRequest & request);
Notice to_notice(const AnswerPiece & piece);
// Another drone of the fleet reports an attack.
Notice warning_notice();
// Nothing for another kind, another length, or values without a meaning. Bytes that follow are those of later versions
// and ignored.
std::optional<GroundRequest> ground_request(const Notice & notice);
std::optional<AnswerPiece> answer_piece(const Notice & notice);
bool is_warning(const Notice & notice);

// Why a capture's name can't travel; empty if it can.
std::string name_fault(std::string_view name);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__REQUEST_NOTICES_HPP_
