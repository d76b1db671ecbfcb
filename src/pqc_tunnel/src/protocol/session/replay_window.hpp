// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__REPLAY_WINDOW_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__REPLAY_WINDOW_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pqc_tunnel
{

enum class ReplayVerdict
{
  fresh,
  replayed,
  too_old,
};

// Sliding bitmap over sequence numbers as in RFC 6479: the window moves by whole words, so that
// advancing never shifts bits. Check, then decrypt, then commit; only authenticated packets may
// commit.
class ReplayWindow
{
public:
  static constexpr std::size_t min_size = 64;
  static constexpr std::size_t max_size = std::size_t{1} << 20;

  // `size` in packets is clamped to [min_size, max_size] and rounded up to a multiple of 64. Only the
  // constructor allocates.
  explicit ReplayWindow(std::size_t size = 1024);

  // Returns too_old for numbers size() or more behind the highest committed one, which are unknown.
  ReplayVerdict check(std::uint64_t seq) const;

  // Marks seq as received. Does nothing unless check(seq) is fresh.
  void commit(std::uint64_t seq);

  // Forgets everything, keeps the size; for reuse under a new key.
  void clear();

  std::uint64_t highest() const { return highest_; }  // 0 while empty
  bool empty() const { return received_ == 0; }
  std::uint64_t received() const { return received_; }  // distinct numbers committed
  std::size_t size() const { return size_; }

private:
  std::size_t word_of(std::uint64_t seq) const;

  std::size_t size_;
  std::vector<std::uint64_t> words_;  // size_ / 64 + 1, as the newest is only partly in use
  std::uint64_t highest_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__REPLAY_WINDOW_HPP_
