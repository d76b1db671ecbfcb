// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "shown_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace pqc_tunnel
{

namespace
{

struct Character
{
  std::size_t size = 1;
  std::uint32_t code = 0;
  bool valid = false;  // false: a single byte that is no UTF-8
};

std::uint8_t byte_at(std::string_view text, std::size_t at)
{
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

// Decodes UTF-8 by RFC 3629, which forbids overlong forms, surrogates and codes above U+10FFFF.
Character first_character(std::string_view text)
{
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) {
    return {1, lead, true};
  }
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) {
    return {1, lead, false};
  }
  std::uint32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80) {
      return {1, lead, false};
    }
    code = code << 6U | (byte_at(text, i) & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least.at(size) || code > 0x10ffff || is_surrogate) {
    return {1, lead, false};
  }
  return {size, code, true};
}

// True for controls, line and paragraph separators, and marks that change the reading direction.
bool is_hidden(std::uint32_t code)
{
  const auto within = [code](std::uint32_t first, std::uint32_t last) {
    return code >= first && code <= last;
  };
  return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069);
}

std::string escape(const Character & character)
{
  if (
    character.valid && (character.code == '\n' || character.code == '\r' || character.code == '\t'))
  {
    return character.code == '\n' ? "\\n" : character.code == '\r' ? "\\r" : "\\t";
  }
  std::array<char, 8> text{};
  const bool is_byte = !character.valid || character.code < 0x80;
  std::snprintf(
    text.data(), text.size(), is_byte ? "\\x%02x" : "\\u%04x",
    static_cast<unsigned>(character.code));
  return text.data();
}

std::string cleaned(std::string_view text, std::string_view kept, std::size_t most)
{
  std::string out;
  out.reserve(std::min(text.size(), most));
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view bytes = text.substr(0, next.size);
    const bool stays = next.valid && (!is_hidden(next.code) || kept.find(bytes) != kept.npos);
    const std::string piece = stays ? std::string(bytes) : escape(next);
    if (out.size() + piece.size() > most) {
      return out + "…";
    }
    out += piece;
    text.remove_prefix(next.size);
  }
  return out;
}

}  // namespace

std::string shown(std::string text, std::size_t most)
{
  const bool is_plain = text.size() <= most && std::all_of(text.begin(), text.end(), [](char c) {
                          return c >= 0x20 && c < 0x7f;
                        });
  return is_plain ? text : cleaned(text, "", most);
}

std::string shown_lines(std::string_view text) { return cleaned(text, "\n\t", SIZE_MAX); }

}  // namespace pqc_tunnel
