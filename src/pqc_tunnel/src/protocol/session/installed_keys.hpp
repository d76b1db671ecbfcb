// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__INSTALLED_KEYS_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__INSTALLED_KEYS_HPP_

#include <array>
#include <cstdint>

#include "base/ids.hpp"
#include "crypto/suites/suite.hpp"
#include "protocol/wire/layers.hpp"
#include "protocol/wire/wire.hpp"

namespace pqc_tunnel
{

enum class KeyUse : std::uint8_t
{
  sending,
  older,    // receives until the overlap ends
  pending,  // GCS: receives; sends once the drone has proved that it holds them
};

// A set of keys that an end holds for a remote, without secrets. The tag, a part of the transcript's hash,
// distinguishes keys of the same session and epoch.
struct InstalledKeys
{
  KeyUse use = KeyUse::sending;
  const Suite * suite = nullptr;
  SessionId session;
  Epoch epoch{};
  std::array<std::uint8_t, 16> transcript_tag = {};
  FrameKeyId send_id{};
  FrameKeyId receive_id{};
  std::uint64_t sent = 0;  // packets
  bool confirmed = false;  // of sending keys: a packet under them has arrived
  Layers layers = {};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__INSTALLED_KEYS_HPP_
