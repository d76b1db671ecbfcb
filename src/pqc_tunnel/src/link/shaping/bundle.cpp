// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "bundle.hpp"

#include "base/byte_io.hpp"
#include "link/mavlink/mavlink_class.hpp"
#include "link/paths/link_settings.hpp"

namespace pqc_tunnel
{
namespace
{

// Bits of the first byte of an entry that holds a MAVLink frame; the other bits are 0.
constexpr std::uint8_t is_frame = 0x80;
constexpr std::uint8_t has_sender = 0x40;    // system and component follow
constexpr std::uint8_t has_sequence = 0x20;  // it follows; else it is that of the frame before + 1
constexpr std::uint8_t has_long_id = 0x10;   // the message's id has 3 bytes, otherwise 1
constexpr std::uint8_t is_signed = 0x08;
constexpr std::uint8_t has_signer = 0x04;  // link id and upper bytes of the time are included
constexpr std::uint8_t known =
  is_frame | has_sender | has_sequence | has_long_id | is_signed | has_signer;

// Offsets and sizes in a MAVLink 2 frame: https://mavlink.io/en/guide/serialization.html
constexpr std::size_t length_at = 1;
constexpr std::size_t incompatible_at = 2;
constexpr std::size_t compatible_at = 3;
constexpr std::size_t sequence_at = 4;
constexpr std::size_t system_at = 5;
constexpr std::size_t component_at = 6;
constexpr std::size_t id_at = 7;
constexpr std::size_t header = 10;
constexpr std::size_t checksum = 2;
constexpr std::size_t signature = 13;  // link id 1, time 6 with its lowest byte first, hash 6
constexpr std::size_t low_time = 2;    // bytes of the time that an entry always has

// True for a single frame whose header an entry can express.
bool can_be_shortened(ByteView datagram)
{
  const std::size_t size = mavlink_frame_size(datagram);
  return size > 0 && size == datagram.size() && datagram[0] == magic_2 &&
         datagram[compatible_at] == 0;
}

using Signer = FrameBefore::Signer;

std::optional<Signer> signer_of(ByteView frame)
{
  if (frame[incompatible_at] == 0) {
    return std::nullopt;
  }
  const ByteView end = frame.last(signature);
  return Signer{end[0], end[3], end[4], end[5], end[6]};
}

std::uint8_t form_of(ByteView frame, const std::optional<FrameBefore> & before)
{
  std::uint8_t form = is_frame;
  if (!before || before->system != frame[system_at] || before->component != frame[component_at]) {
    form |= has_sender;
  }
  if (!before || static_cast<std::uint8_t>(before->sequence + 1) != frame[sequence_at]) {
    form |= has_sequence;
  }
  if ((frame[id_at + 1] | frame[id_at + 2]) != 0) {
    form |= has_long_id;
  }
  if (frame[incompatible_at] != 0) {
    form |= is_signed;
    if (!before || before->signer != signer_of(frame)) {
      form |= has_signer;
    }
  }
  return form;
}

// Returns how many bytes of the signature an entry omits.
std::size_t left_out(std::uint8_t form)
{
  return (form & is_signed) != 0 && (form & has_signer) == 0 ? Signer().size() : 0;
}

// Returns the bytes of the form, the length, and the fields that the form announces.
std::size_t entry_header(std::uint8_t form)
{
  return 2 + ((form & has_sequence) != 0 ? 1 : 0) + ((form & has_sender) != 0 ? 2 : 0) +
         ((form & has_long_id) != 0 ? 3 : 1);
}

// Takes an entry with a MAVLink frame off the front and writes the frame; false if the entry is malformed.
bool unpack_frame(ByteView & rest, std::optional<FrameBefore> & before, Bytes & out)
{
  const std::uint8_t form = rest[0];
  const bool with_signature = (form & is_signed) != 0;
  const bool follows = (form & has_sender) == 0 || (form & has_sequence) == 0 || left_out(form) > 0;
  const std::size_t head = entry_header(form);
  if (
    (form & ~known) != 0 || (!with_signature && (form & has_signer) != 0) || (follows && !before) ||
    (left_out(form) > 0 && !before->signer) || rest.size() < head)
  {
    return false;
  }
  const std::size_t length = rest[1];
  const std::size_t whole = length + checksum + (with_signature ? signature : 0);
  const std::size_t body = whole - left_out(form);
  if (rest.size() - head < body) {
    return false;
  }
  ByteView said = rest.subspan(2, head - 2);
  FrameBefore frame = before.value_or(FrameBefore{});
  ++frame.sequence;
  if ((form & has_sequence) != 0) {
    frame.sequence = said[0];
    said = said.subspan(1);
  }
  if ((form & has_sender) != 0) {
    frame.system = said[0];
    frame.component = said[1];
    said = said.subspan(2);
  }
  ByteWriter writer(out);
  writer.u16(static_cast<std::uint16_t>(header + whole));
  const std::size_t begin = out.size();
  for (const std::uint8_t byte :
       {magic_2, static_cast<std::uint8_t>(length),
        static_cast<std::uint8_t>(with_signature ? 1 : 0), std::uint8_t{0}, frame.sequence,
        frame.system, frame.component, said[0], said.size() > 1 ? said[1] : std::uint8_t{0},
        said.size() > 1 ? said[2] : std::uint8_t{0}})
  {
    writer.u8(byte);
  }
  const ByteView bytes = rest.subspan(head, body);
  if (left_out(form) == 0) {
    writer.bytes(bytes);
  } else {
    writer.bytes(bytes.first(length + checksum));
    writer.u8((*frame.signer)[0]);
    writer.bytes(bytes.subspan(length + checksum, low_time));
    writer.bytes(ByteView(*frame.signer).subspan(1));
    writer.bytes(bytes.subspan(length + checksum + low_time));
  }
  frame.signer = signer_of(ByteView(out).subspan(begin));
  before = frame;
  rest = rest.subspan(head + body);
  return true;
}

// Takes an entry with a whole datagram in the same way.
bool unpack_datagram(ByteView & rest, Bytes & out)
{
  constexpr std::size_t length_size = BundleWriter::length_size;
  if (rest.size() < length_size) {
    return false;
  }
  const auto size = static_cast<std::size_t>(rest[0] << 8 | rest[1]);
  if (size == 0 || size > rest.size() - length_size) {
    return false;
  }
  out.insert(
    out.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length_size + size));
  rest = rest.subspan(length_size + size);
  return true;
}

}  // namespace

std::size_t BundleWriter::size_of(ByteView datagram) const
{
  if (!can_be_shortened(datagram)) {
    return datagram.size() + length_size;
  }
  const std::uint8_t form = form_of(datagram, before_);
  return datagram.size() - header + entry_header(form) - left_out(form);
}

bool BundleWriter::append(ByteView datagram, Bytes & out)
{
  ByteWriter writer(out);
  if (!can_be_shortened(datagram)) {
    writer.u16(static_cast<std::uint16_t>(datagram.size()));
    writer.bytes(datagram);
    return false;
  }
  const std::uint8_t form = form_of(datagram, before_);
  writer.u8(form);
  writer.u8(datagram[length_at]);
  if ((form & has_sequence) != 0) {
    writer.u8(datagram[sequence_at]);
  }
  if ((form & has_sender) != 0) {
    writer.bytes(datagram.subspan(system_at, 2));
  }
  writer.bytes(datagram.subspan(id_at, (form & has_long_id) != 0 ? 3 : 1));
  if (left_out(form) == 0) {
    writer.bytes(datagram.subspan(header));
  } else {
    const std::size_t end = datagram.size() - signature;
    writer.bytes(datagram.subspan(header, end - header));
    writer.bytes(datagram.subspan(end + 1, low_time));
    writer.bytes(datagram.subspan(end + 1 + low_time + 4));
  }
  before_ = {
    datagram[sequence_at], datagram[system_at], datagram[component_at], signer_of(datagram)};
  return true;
}

void unpack_bundle(ByteView bundle, Bytes & out)
{
  out.clear();
  std::optional<FrameBefore> before;
  for (std::size_t taken = 0; taken < max_bundled && !bundle.empty(); ++taken) {
    const bool whole = (bundle[0] & is_frame) == 0 ? unpack_datagram(bundle, out)
                                                   : unpack_frame(bundle, before, out);
    if (!whole) {
      return;
    }
  }
}

}  // namespace pqc_tunnel
