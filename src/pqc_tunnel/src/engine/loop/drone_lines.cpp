// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "drone_lines.hpp"

#include "base/byte_io.hpp"
#include "base/shown_text.hpp"

namespace pqc_tunnel
{

std::optional<DroneLines::Line> DroneLines::handle(const Notice & notice)
{
  ByteReader in(notice.content());
  const std::uint8_t number = in.u8();
  const std::uint8_t severity = in.u8();
  const ByteView bytes = in.bytes(in.remaining());
  if (notice.kind != NoticeKind::line || !in.ok() || bytes.empty() || number_ == number) {
    return std::nullopt;
  }
  number_ = number;
  newest_ = shown(std::string(bytes.begin(), bytes.end()));
  const bool warns = severity <= static_cast<std::uint8_t>(MavlinkSeverity::warning);
  return Line{warns ? MavlinkSeverity::warning : MavlinkSeverity::info, newest_};
}

}  // namespace pqc_tunnel
