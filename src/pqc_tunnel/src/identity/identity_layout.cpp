// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "identity_layout.hpp"

#include <memory>
#include <optional>

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t psk_size = 32;
constexpr std::size_t gcs_id_size = 32;

tl::unexpected<Error> ill_formed()
{
  return fail(ErrorCode::invalid_argument, "its parts don't fit together");
}

std::optional<SignatureAlgorithm> find_algorithm(WireCode code)
{
  for (const SignatureAlgorithm algorithm : all_signatures()) {
    if (wire_code(algorithm) == code) {
      return algorithm;
    }
  }
  return std::nullopt;
}

// Writes pieces in sequence.
class Filler
{
public:
  explicit Filler(MutableBytes out) : out_(out) {}
  template <class Range>
  Filler & put(const Range & range)
  {
    std::copy(range.begin(), range.end(), out_.begin());
    out_ = out_.subspan(range.size());
    return *this;
  }
  Filler & number(std::uint64_t value, std::size_t bytes)
  {
    for (std::size_t i = 0; i < bytes; ++i) {
      out_[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
    }
    out_ = out_.subspan(bytes);
    return *this;
  }
  // The beginning of an entry of a record.
  Filler & entry(WireCode code, std::size_t size)
  {
    return number(code.family, 1).number(code.parameter, 1).number(size, 4);
  }
  Filler & keys(const PublicKeys & keys)
  {
    for (const auto & [algorithm, key] : keys) {
      entry(wire_code(algorithm), key->size()).put(*key);
    }
    return *this;
  }

private:
  MutableBytes out_;
};

std::uint64_t to_number(ByteView bytes)
{
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) {
    value = value << 8 | byte;
  }
  return value;
}

// Entries of a record that are no public key.
constexpr WireCode number_entry{0, 1};
constexpr WireCode expiry_entry{0, 2};
constexpr WireCode former_entry{0, 3};
constexpr std::size_t entry_header = 6;
constexpr std::size_t number_size = 2;
constexpr std::size_t expiry_size = 8;
constexpr std::size_t former_header = psk_size + 1 + expiry_size;

std::size_t size_of(const PublicKeys & keys)
{
  std::size_t size = 0;
  for (const auto & [algorithm, key] : keys) {
    size += entry_header + key->size();
  }
  return size;
}

// Calls take(code, value) for each entry, which returns whether it is known and well formed.
template <class Take>
bool take_entries(ByteView rest, Take && take)
{
  while (!rest.empty()) {
    if (rest.size() < entry_header) {
      return false;
    }
    const WireCode code{rest[0], rest[1]};
    const auto size = static_cast<std::size_t>(to_number(rest.subspan(2, 4)));
    rest = rest.subspan(entry_header);
    if (size > rest.size() || !take(code, rest.first(size))) {
      return false;
    }
    rest = rest.subspan(size);
  }
  return true;
}

bool take_key(WireCode code, ByteView value, PublicKeys & keys)
{
  const auto algorithm = find_algorithm(code);
  if (!algorithm || value.size() != signature_sizes(*algorithm).public_key) {
    return false;
  }
  keys[*algorithm] = std::make_shared<const Bytes>(value.begin(), value.end());
  return true;
}

bool take_former(ByteView value, DroneRecord & record)
{
  if (value.size() < former_header) {
    return false;
  }
  FormerKeys & former = record.former.emplace();
  former.psk = Psk(value.first<psk_size>());
  former.signing_too = value[psk_size] != 0;
  former.until_unix_s = static_cast<std::int64_t>(to_number(value.subspan(psk_size + 1, 8)));
  return take_entries(value.subspan(former_header), [&](WireCode code, ByteView key) {
    return take_key(code, key, former.drone_keys);
  });
}

std::string to_name(ByteView bytes) { return std::string(bytes.begin(), bytes.end()); }

}  // namespace

KeyFile encode_drone_identity(
  const std::string & name, const DroneId & id, const Psk & psk, const GcsId & gcs_id)
{
  KeyFile file;
  file.kind = KeyFileKind::drone_identity;
  file.owner = to_owner(id);
  file.payload = SecretBytes(psk_size + gcs_id_size + name.size());
  Filler(file.payload.span()).put(psk.view()).put(gcs_id.bytes).put(name);
  return file;
}

Result<void> decode_drone_identity(const KeyFile & file, DroneIdentity & into)
{
  const ByteView payload = file.payload.view();
  if (payload.size() < psk_size + gcs_id_size) {
    return ill_formed();
  }
  into.id = from_owner<DroneId>(file.owner);
  into.psk = Psk(payload.first<psk_size>());
  std::copy_n(payload.begin() + psk_size, gcs_id_size, into.gcs_id.bytes.begin());
  into.name = to_name(payload.subspan(psk_size + gcs_id_size));
  return {};
}

KeyFile encode_drone_record(const DroneRecord & record)
{
  const std::size_t former = record.former ? former_header + size_of(record.former->drone_keys) : 0;
  KeyFile file;
  file.kind = KeyFileKind::drone_record;
  file.owner = to_owner(record.id);
  file.payload = SecretBytes(
    psk_size + 1 + record.name.size() + size_of(record.drone_keys) + entry_header + number_size +
    (record.expires_unix_s ? entry_header + expiry_size : 0) +
    (record.former ? entry_header + former : 0));
  Filler filler(file.payload.span());
  filler.put(record.psk.view()).number(record.name.size(), 1).put(record.name);
  filler.keys(record.drone_keys)
    .entry(number_entry, number_size)
    .number(record.number, number_size);
  if (record.expires_unix_s) {
    filler.entry(expiry_entry, expiry_size)
      .number(static_cast<std::uint64_t>(*record.expires_unix_s), expiry_size);
  }
  if (record.former) {
    filler.entry(former_entry, former)
      .put(record.former->psk.view())
      .number(record.former->signing_too ? 1 : 0, 1)
      .number(static_cast<std::uint64_t>(record.former->until_unix_s), expiry_size)
      .keys(record.former->drone_keys);
  }
  return file;
}

Result<DroneRecord> decode_drone_record(const KeyFile & file)
{
  ByteView rest = file.payload.view();
  if (rest.size() < psk_size + 1 || rest.size() < psk_size + 1U + rest[psk_size]) {
    return ill_formed();
  }
  DroneRecord record;
  record.id = from_owner<DroneId>(file.owner);
  record.psk = Psk(rest.first<psk_size>());
  const std::size_t name_size = rest[psk_size];
  record.name = to_name(rest.subspan(psk_size + 1, name_size));
  const bool taken =
    take_entries(rest.subspan(psk_size + 1 + name_size), [&](WireCode code, ByteView value) {
      if (code == number_entry && value.size() == number_size) {
        record.number = static_cast<std::uint16_t>(to_number(value));
        return true;
      }
      if (code == expiry_entry && value.size() == expiry_size) {
        record.expires_unix_s = static_cast<std::int64_t>(to_number(value));
        return true;
      }
      return code == former_entry ? take_former(value, record)
                                  : take_key(code, value, record.drone_keys);
    });
  if (!taken) {
    return ill_formed();
  }
  return record;
}

}  // namespace pqc_tunnel
