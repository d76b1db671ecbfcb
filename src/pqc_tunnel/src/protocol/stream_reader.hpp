// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__STREAM_READER_HPP_
#define PQC_TUNNEL__PROTOCOL__STREAM_READER_HPP_

#include <optional>

#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/protocol/handshake_messages.hpp"

namespace pqc_tunnel
{

// Cuts "u32 length ‖ body" messages out of a stream. The length must lie in an expected range before
// memory is reserved for the body: an attacker's number never decides an allocation.
class StreamReader
{
public:
  enum class Status
  {
    incomplete,
    message,  // take() it
    refused,  // a length out of range, or bytes after a message that must be answered first
  };

  // The sizes that the next body may have; several ranges where several messages may come.
  void expect(SizeRange first, std::optional<SizeRange> second = std::nullopt);
  Status feed(ByteView bytes);
  Bytes take();

private:
  std::optional<SizeRange> expected_[2];
  Bytes length_;
  Bytes body_;
  std::size_t missing_ = 0;
  bool complete_ = false;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__STREAM_READER_HPP_
