// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "replay_window.hpp"

#include <algorithm>

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t word_bits = 64;

std::size_t rounded(std::size_t size)
{
  const auto bounded = std::clamp(size, ReplayWindow::min_size, ReplayWindow::max_size);
  return (bounded + word_bits - 1) / word_bits * word_bits;
}

constexpr std::uint64_t bit_of(std::uint64_t seq) { return std::uint64_t{1} << (seq % word_bits); }

}  // namespace

ReplayWindow::ReplayWindow(std::size_t size)
: size_(rounded(size)), words_(size_ / word_bits + 1, 0)
{
}

[[gnu::hot]] std::size_t ReplayWindow::word_of(std::uint64_t seq) const
{
  return static_cast<std::size_t>((seq / word_bits) % words_.size());
}

[[gnu::hot]] ReplayVerdict ReplayWindow::check(std::uint64_t seq) const
{
  if (empty() || seq > highest_) return ReplayVerdict::fresh;
  if (highest_ - seq >= size_) return ReplayVerdict::too_old;
  return (words_[word_of(seq)] & bit_of(seq)) != 0 ? ReplayVerdict::replayed : ReplayVerdict::fresh;
}

[[gnu::hot]] void ReplayWindow::commit(std::uint64_t seq)
{
  if (check(seq) != ReplayVerdict::fresh) return;
  if (seq > highest_) {
    const auto ahead = seq / word_bits - highest_ / word_bits;
    const auto stale = std::min<std::uint64_t>(ahead, words_.size());
    for (std::uint64_t i = 0; i < stale; ++i) words_[word_of(seq - i * word_bits)] = 0;
    highest_ = seq;
  }
  words_[word_of(seq)] |= bit_of(seq);
  ++received_;
}

void ReplayWindow::clear()
{
  std::fill(words_.begin(), words_.end(), 0);
  highest_ = 0;
  received_ = 0;
}

}  // namespace pqc_tunnel
