// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <memory>
#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/aead.hpp"
#include "pqc_tunnel/crypto/random.hpp"
#include "pqc_tunnel/protocol/wire/constants.hpp"
#include "subject.hpp"

namespace pqc_tunnel::speed
{
namespace
{

constexpr std::array<std::size_t, 4> text_sizes = {64, 256, 1024, 4096};
// Sealing one packet takes only a few times as long as reading the clock.
constexpr std::uint32_t packets = 32;

AeadKey random_key(AeadAlgorithm algorithm, RandomSource & random)
{
  SecretBytes key(key_size(algorithm));
  random.fill(key.span());
  return AeadKey::create(algorithm, key.view());
}

// Packets of one size under one key, sealed and opened in place, like the tunnel's.
class Packets
{
public:
  Packets(AeadAlgorithm algorithm, std::size_t text_bytes)
  : key_(random_key(algorithm, random_)),
    nonce_size_(iv_size(algorithm)),
    text_bytes_(text_bytes),
    memory_(packets * (text_bytes + aead_tag_size))
  {
    random_.fill(memory_);
    random_.fill(header_);
  }

  // Nonces continue from the last round, so that none is used twice.
  void begin_round()
  {
    first_nonce_ += packets;
    sealed_ = false;
  }

  void seal()
  {
    for (std::uint32_t i = 0; i < packets; ++i) {
      key_.seal_in_place(nonce(i), header_, text(i), tag(i));
    }
    sealed_ = true;
  }

  void open()
  {
    opened_ = true;
    for (std::uint32_t i = 0; i < packets; ++i) {
      opened_ = key_.open_in_place(nonce(i), header_, text(i), tag(i)) && opened_;
    }
    sealed_ = false;
  }

  bool sealed() const { return sealed_; }
  bool opened() const { return opened_; }

private:
  ByteView nonce(std::uint32_t packet)
  {
    const std::uint64_t number = first_nonce_ + packet;
    for (std::size_t i = 0; i < sizeof(number); ++i) {
      nonce_[nonce_size_ - 1 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    return {nonce_.data(), nonce_size_};
  }
  MutableBytes text(std::uint32_t packet)
  {
    return MutableBytes(memory_).subspan(packet * (text_bytes_ + aead_tag_size), text_bytes_);
  }
  std::span<std::uint8_t, aead_tag_size> tag(std::uint32_t packet)
  {
    return std::span<std::uint8_t, aead_tag_size>(text(packet).data() + text_bytes_, aead_tag_size);
  }

  SystemRandom random_;
  AeadKey key_;
  std::size_t nonce_size_;
  std::size_t text_bytes_;
  Bytes memory_;
  std::array<std::uint8_t, frame_header_size> header_ = {};
  std::array<std::uint8_t, 16> nonce_ = {};
  std::uint64_t first_nonce_ = 0;
  bool sealed_ = false;
  bool opened_ = false;
};

void add_operations(Subject & subject, AeadAlgorithm algorithm, std::size_t text_bytes)
{
  const auto state = std::make_shared<Packets>(algorithm, text_bytes);
  Operation seal{.name = "seal", .text_bytes = text_bytes, .runs_per_sample = packets};
  seal.prepare = [state] { state->begin_round(); };
  seal.run = [state] { state->seal(); };
  subject.operations.push_back(std::move(seal));

  Operation open{.name = "open", .text_bytes = text_bytes, .runs_per_sample = packets};
  open.prepare = [state] {
    if (!state->sealed()) {
      state->begin_round();
      state->seal();
    }
  };
  open.run = [state] { state->open(); };
  open.check = [state] { return state->opened(); };
  subject.operations.push_back(std::move(open));
}

}  // namespace

Subject make_subject(AeadAlgorithm algorithm)
{
  Subject subject{
    .kind = Kind::aead,
    .token = std::string(token(algorithm)),
    .name = std::string(display_name(algorithm))};
  for (const std::size_t size : text_sizes) {
    add_operations(subject, algorithm, size);
  }
  subject.properties = [algorithm] {
    return cli::JsonWriter::object()
      .number("key_bytes", key_size(algorithm))
      .number("nonce_bytes", iv_size(algorithm))
      .number("tag_bytes", aead_tag_size)
      .number("associated_data_bytes", frame_header_size)
      .str();
  };
  return subject;
}

}  // namespace pqc_tunnel::speed
