// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__BYTE_IO_HPP_
#define PQC_TUNNEL__BASE__BYTE_IO_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bytes.hpp"
#include "ids.hpp"

namespace pqc_tunnel
{

// Appends big-endian fields to a byte string.
class ByteWriter
{
public:
  explicit ByteWriter(Bytes & out) : out_(out) {}

  template <class Unsigned>
  ByteWriter & number(Unsigned value)
  {
    for (std::size_t shift = sizeof(Unsigned) * 8; shift > 0; shift -= 8) {
      out_.push_back(static_cast<std::uint8_t>(value >> (shift - 8)));
    }
    return *this;
  }
  ByteWriter & u8(std::uint8_t value) { return number(value); }
  ByteWriter & u16(std::uint16_t value) { return number(value); }
  ByteWriter & u32(std::uint32_t value) { return number(value); }
  ByteWriter & u64(std::uint64_t value) { return number(value); }
  ByteWriter & bytes(ByteView view)
  {
    out_.insert(out_.end(), view.begin(), view.end());
    return *this;
  }
  ByteWriter & text(std::string_view view)
  {
    out_.insert(out_.end(), view.begin(), view.end());
    return *this;
  }
  template <class Tag, std::size_t N>
  ByteWriter & id(const FixedId<Tag, N> & value)
  {
    return bytes(value.bytes);
  }

private:
  Bytes & out_;
};

// Reads big-endian fields from a byte string. Reading past the end yields zeros and makes ok() false for good, so that
// a parser checks once, at its end.
class ByteReader
{
public:
  explicit ByteReader(ByteView in) : in_(in) {}

  bool ok() const { return ok_; }
  void fail() { ok_ = false; }  // the caller found the content invalid
  bool exhausted() const { return ok_ && in_.empty(); }
  std::size_t remaining() const { return in_.size(); }

  ByteView bytes(std::size_t size)
  {
    if (size > in_.size()) {
      ok_ = false;
      in_ = {};
      return {};
    }
    const ByteView taken = in_.first(size);
    in_ = in_.subspan(size);
    return taken;
  }
  template <class Unsigned>
  Unsigned number()
  {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : bytes(sizeof(Unsigned))) {
      value = (value << 8) | byte;
    }
    return static_cast<Unsigned>(value);
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  template <std::size_t N>
  std::array<std::uint8_t, N> array()
  {
    std::array<std::uint8_t, N> out = {};
    const ByteView taken = bytes(N);
    if (!taken.empty()) {
      std::memcpy(out.data(), taken.data(), N);
    }
    return out;
  }
  template <class Id>
  Id id()
  {
    return Id{array<Id::size>()};
  }

private:
  ByteView in_;
  bool ok_ = true;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__BYTE_IO_HPP_
