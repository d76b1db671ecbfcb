// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ascon.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "secret.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t word_size = 8;
constexpr std::size_t rate = 16;  // bytes, both variants

using Word = std::uint64_t;
using Key = std::span<const std::uint8_t, ascon_key_size>;
using Nonce = std::span<const std::uint8_t, ascon_nonce_size>;

constexpr Word byte_swapped(Word word) { return __builtin_bswap64(word); }

constexpr Word big_endian(Word word)
{
  return std::endian::native == std::endian::big ? word : byte_swapped(word);
}

constexpr Word little_endian(Word word)
{
  return std::endian::native == std::endian::little ? word : byte_swapped(word);
}

// Ascon v1.2, section 2.
struct Version12
{
  static constexpr Word initial = 0x80800c0800000000;
  static constexpr Word domain_separator = 1;
  static constexpr Word convert(Word word) { return big_endian(word); }
};

// SP 800-232, section 4.
struct Sp800232
{
  static constexpr Word initial = 0x00001000808c0001;
  static constexpr Word domain_separator = Word{1} << 63;
  static constexpr Word convert(Word word) { return little_endian(word); }
};

struct State
{
  Word x0, x1, x2, x3, x4;
};

template <Word Constant>
[[gnu::always_inline]] inline void round(State & s)
{
  // Substitution layer, bit-sliced: no table, no branch.
  Word x0 = s.x0, x1 = s.x1, x2 = s.x2 ^ Constant, x3 = s.x3, x4 = s.x4;
  x0 ^= x4;
  x4 ^= x3;
  x2 ^= x1;
  const Word t0 = x0 ^ (~x1 & x2);
  const Word t1 = x1 ^ (~x2 & x3);
  const Word t2 = x2 ^ (~x3 & x4);
  const Word t3 = x3 ^ (~x4 & x0);
  const Word t4 = x4 ^ (~x0 & x1);
  x0 = t0 ^ t4;
  x1 = t1 ^ t0;
  x2 = ~t2;
  x3 = t3 ^ t2;
  x4 = t4;
  // Linear layer.
  s.x0 = x0 ^ std::rotr(x0, 19) ^ std::rotr(x0, 28);
  s.x1 = x1 ^ std::rotr(x1, 61) ^ std::rotr(x1, 39);
  s.x2 = x2 ^ std::rotr(x2, 1) ^ std::rotr(x2, 6);
  s.x3 = x3 ^ std::rotr(x3, 10) ^ std::rotr(x3, 17);
  s.x4 = x4 ^ std::rotr(x4, 7) ^ std::rotr(x4, 41);
}

// The last Count rounds of the permutation; round i of 12 has the constant (15 - i)·16 + i.
template <std::size_t Count>
[[gnu::always_inline]] inline void permute(State & s)
{
  [&]<std::size_t... I>(std::index_sequence<I...>)
  {
    (round<(15 - (12 - Count + I)) * 16 + (12 - Count + I)>(s), ...);
  }
  (std::make_index_sequence<Count>());
}

void permute_12(State & s) { permute<12>(s); }
void permute_8(State & s) { permute<8>(s); }

template <class Version>
Word load(const std::uint8_t * bytes)
{
  Word word;
  std::memcpy(&word, bytes, word_size);
  return Version::convert(word);
}

template <class Version>
void store(std::uint8_t * bytes, Word word)
{
  word = Version::convert(word);
  std::memcpy(bytes, &word, word_size);
}

// The first `size` < 8 bytes of a word, the others zero.
template <class Version>
Word load_part(const std::uint8_t * bytes, std::size_t size)
{
  std::array<std::uint8_t, word_size> padded = {};
  std::copy_n(bytes, size, padded.begin());
  return load<Version>(padded.data());
}

template <class Version>
void store_part(std::uint8_t * bytes, std::size_t size, Word word)
{
  std::array<std::uint8_t, word_size> whole;
  store<Version>(whole.data(), word);
  std::copy_n(whole.begin(), size, bytes);
}

// A one after `size` < 8 bytes: the bit 0x80 in version 1.2, 0x01 in SP 800-232.
template <class Version>
constexpr Word padding(std::size_t size)
{
  if constexpr (std::is_same_v<Version, Version12>) {
    return Word{0x80} << (56 - 8 * size);
  } else {
    return Word{0x01} << (8 * size);
  }
}

// All bits of the first `size` < 8 bytes.
template <class Version>
constexpr Word leading_bytes(std::size_t size)
{
  if constexpr (std::is_same_v<Version, Version12>) {
    return ~(~Word{0} >> (8 * size));
  } else {
    return ~(~Word{0} << (8 * size));
  }
}

template <class Version>
class Cipher
{
public:
  Cipher(Key key, Nonce nonce)
  : key0_(load<Version>(key.data())),
    key1_(load<Version>(key.data() + word_size)),
    state_{
      Version::initial, key0_, key1_, load<Version>(nonce.data()),
      load<Version>(nonce.data() + word_size)}
  {
    permute_12(state_);
    state_.x3 ^= key0_;
    state_.x4 ^= key1_;
  }
  Cipher(const Cipher &) = delete;
  Cipher & operator=(const Cipher &) = delete;
  ~Cipher()
  {
    cleanse({reinterpret_cast<std::uint8_t *>(&state_), sizeof(state_)});
    cleanse({reinterpret_cast<std::uint8_t *>(&key0_), sizeof(key0_)});
    cleanse({reinterpret_cast<std::uint8_t *>(&key1_), sizeof(key1_)});
  }

  void absorb(ByteView aad)
  {
    if (!aad.empty()) {
      for (; aad.size() >= rate; aad = aad.subspan(rate)) {
        state_.x0 ^= load<Version>(aad.data());
        state_.x1 ^= load<Version>(aad.data() + word_size);
        permute_8(state_);
      }
      Word * word = &state_.x0;
      if (aad.size() >= word_size) {
        state_.x0 ^= load<Version>(aad.data());
        aad = aad.subspan(word_size);
        word = &state_.x1;
      }
      *word ^= load_part<Version>(aad.data(), aad.size()) ^ padding<Version>(aad.size());
      permute_8(state_);
    }
    state_.x4 ^= Version::domain_separator;
  }

  template <bool Decrypt>
  void crypt(MutableBytes text)
  {
    for (; text.size() >= rate; text = text.subspan(rate)) {
      crypt_word<Decrypt>(state_.x0, text.data());
      crypt_word<Decrypt>(state_.x1, text.data() + word_size);
      permute_8(state_);
    }
    Word * word = &state_.x0;
    if (text.size() >= word_size) {
      crypt_word<Decrypt>(state_.x0, text.data());
      text = text.subspan(word_size);
      word = &state_.x1;
    }
    crypt_part<Decrypt>(*word, text);
  }

  void finish(std::span<std::uint8_t, ascon_tag_size> tag)
  {
    state_.x2 ^= key0_;
    state_.x3 ^= key1_;
    permute_12(state_);
    store<Version>(tag.data(), state_.x3 ^ key0_);
    store<Version>(tag.data() + word_size, state_.x4 ^ key1_);
  }

private:
  template <bool Decrypt>
  static void crypt_word(Word & word, std::uint8_t * text)
  {
    const Word in = load<Version>(text);
    const Word out = word ^ in;
    store<Version>(text, out);
    word = Decrypt ? in : out;
  }

  template <bool Decrypt>
  static void crypt_part(Word & word, MutableBytes text)
  {
    const Word in = load_part<Version>(text.data(), text.size());
    const Word out = word ^ in;
    store_part<Version>(text.data(), text.size(), out);
    if constexpr (Decrypt) {
      word = (word & ~leading_bytes<Version>(text.size())) | in;
    } else {
      word = out;
    }
    word ^= padding<Version>(text.size());
  }

  Word key0_;
  Word key1_;
  State state_;
};

template <class Version>
void seal(
  Key key, Nonce nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, ascon_tag_size> tag)
{
  Cipher<Version> cipher(key, nonce);
  cipher.absorb(aad);
  cipher.template crypt<false>(text);
  cipher.finish(tag);
}

template <class Version>
bool open(
  Key key, Nonce nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, ascon_tag_size> tag)
{
  Cipher<Version> cipher(key, nonce);
  cipher.absorb(aad);
  cipher.template crypt<true>(text);
  std::array<std::uint8_t, ascon_tag_size> expected;
  cipher.finish(expected);
  if (constant_time_equal(expected, tag)) {
    return true;
  }
  cleanse(text);
  return false;
}

}  // namespace

void ascon_seal(
  AsconVariant variant, Key key, Nonce nonce, ByteView aad, MutableBytes text,
  std::span<std::uint8_t, ascon_tag_size> tag) noexcept
{
  if (variant == AsconVariant::ascon_128a) {
    seal<Version12>(key, nonce, aad, text, tag);
  } else {
    seal<Sp800232>(key, nonce, aad, text, tag);
  }
}

bool ascon_open(
  AsconVariant variant, Key key, Nonce nonce, ByteView aad, MutableBytes text,
  std::span<const std::uint8_t, ascon_tag_size> tag) noexcept
{
  return variant == AsconVariant::ascon_128a ? open<Version12>(key, nonce, aad, text, tag)
                                             : open<Sp800232>(key, nonce, aad, text, tag);
}

}  // namespace pqc_tunnel
