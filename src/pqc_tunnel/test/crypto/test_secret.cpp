// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "crypto/secret.hpp"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

// Every block given back to the heap while the watch is on is checked for the bytes of the secret.
constexpr std::uint8_t secret_byte = 0xa5;
constexpr std::size_t secret_size = 14'120;  // Classic McEliece's longest secret key

std::size_t watched_size = 0;
bool secret_seen_in_freed_memory = false;
int watched_blocks_freed = 0;

void * allocate(std::size_t size, const char *, int) { return std::malloc(size); }
void * reallocate(void * block, std::size_t size, const char *, int)
{
  return std::realloc(block, size);
}
void give_back(void * block, const char *, int)
{
  if (block != nullptr && watched_size != 0) {
    const auto * bytes = static_cast<const std::uint8_t *>(block);
    ++watched_blocks_freed;
    secret_seen_in_freed_memory =
      secret_seen_in_freed_memory ||
      std::find(bytes, bytes + watched_size, secret_byte) != bytes + watched_size;
  }
  std::free(block);
}

// OpenSSL takes them only before it has allocated anything.
const bool watching = CRYPTO_set_mem_functions(allocate, reallocate, give_back) == 1;

}  // namespace

namespace pqc_tunnel
{
namespace
{

template <class T>
concept Printable = requires(std::ostream & stream, const T & value)
{
  stream << value;
};

template <class T>
concept ComparableWithEquals = requires(const T & a, const T & b)
{
  {
    a == b
    } -> std::convertible_to<bool>;
};

static_assert(!std::is_copy_constructible_v<SecretBytes>);
static_assert(!std::is_copy_assignable_v<SecretBytes>);
static_assert(std::is_nothrow_move_constructible_v<SecretBytes>);
static_assert(std::is_nothrow_move_assignable_v<SecretBytes>);
static_assert(!Printable<SecretBytes>);
static_assert(!ComparableWithEquals<SecretBytes>);

static_assert(!std::is_copy_constructible_v<SecretArray<32>>);
static_assert(!std::is_copy_assignable_v<SecretArray<32>>);
static_assert(std::is_nothrow_move_constructible_v<SecretArray<32>>);
static_assert(!Printable<SecretArray<32>>);
static_assert(!ComparableWithEquals<SecretArray<32>>);

class HeapWatch
{
public:
  explicit HeapWatch(std::size_t size = secret_size)
  {
    EXPECT_TRUE(watching);
    watched_size = size;
    secret_seen_in_freed_memory = false;
    watched_blocks_freed = 0;
  }
  ~HeapWatch() { watched_size = 0; }
};

SecretBytes a_secret()
{
  SecretBytes secret(secret_size);
  std::ranges::fill(secret.span(), secret_byte);
  return secret;
}

bool all_zero(ByteView bytes)
{
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

TEST(SecretBytes, are_zeroed_before_their_memory_is_freed)
{
  const HeapWatch watch;
  {
    const auto secret = a_secret();
  }
  EXPECT_EQ(watched_blocks_freed, 1);
  EXPECT_FALSE(secret_seen_in_freed_memory);
}

TEST(SecretBytes, are_zeroed_when_assigned_over)
{
  auto secret = a_secret();
  auto other = a_secret();
  const HeapWatch watch;
  secret = std::move(other);
  EXPECT_EQ(watched_blocks_freed, 1);
  EXPECT_FALSE(secret_seen_in_freed_memory);
  EXPECT_EQ(secret.size(), secret_size);
}

TEST(SecretBytes, are_zeroed_when_cleared)
{
  auto secret = a_secret();
  const HeapWatch watch;
  secret.clear();
  EXPECT_EQ(watched_blocks_freed, 1);
  EXPECT_FALSE(secret_seen_in_freed_memory);
  EXPECT_TRUE(secret.empty());
}

TEST(SecretBytes, a_move_zeroes_the_source)
{
  auto secret = a_secret();
  const auto moved = std::move(secret);
  EXPECT_EQ(moved.size(), secret_size);
  EXPECT_TRUE(secret.empty());  // NOLINT(bugprone-use-after-move): what is left is the question
  EXPECT_EQ(secret.size(), 0u);
}

TEST(SecretBytes, start_as_zeros_or_as_a_copy)
{
  EXPECT_TRUE(all_zero(SecretBytes(100).view()));
  const std::array<std::uint8_t, 3> bytes = {1, 2, 3};
  EXPECT_TRUE(std::ranges::equal(SecretBytes::copy_of(bytes).view(), bytes));
  EXPECT_TRUE(SecretBytes::copy_of({}).empty());
}

TEST(SecretArray, is_zeroed_when_destroyed)
{
  auto secret = std::make_optional<SecretArray<64>>();
  std::ranges::fill(secret->span(), secret_byte);
  const HeapWatch watch(64);
  secret.reset();
  EXPECT_EQ(watched_blocks_freed, 1);
  EXPECT_FALSE(secret_seen_in_freed_memory);
}

TEST(SecretArray, move_zeroes_the_source)
{
  SecretArray<16> secret;
  std::ranges::fill(secret.span(), secret_byte);
  SecretArray<16> moved(std::move(secret));
  EXPECT_TRUE(all_zero(secret.view()));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.view()[15], secret_byte);
  SecretArray<16> assigned;
  assigned = std::move(moved);
  EXPECT_TRUE(all_zero(moved.view()));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(assigned.view()[0], secret_byte);
}

TEST(ConstantTimeEqual, is_true_for_equal_bytes_of_equal_length_only)
{
  const Bytes a = {1, 2, 3};
  EXPECT_TRUE(constant_time_equal(a, Bytes{1, 2, 3}));
  EXPECT_FALSE(constant_time_equal(a, Bytes{1, 2, 4}));
  EXPECT_FALSE(constant_time_equal(a, Bytes{0, 2, 3}));
  EXPECT_FALSE(constant_time_equal(a, Bytes{1, 2}));
  EXPECT_FALSE(constant_time_equal(a, {}));
  EXPECT_TRUE(constant_time_equal({}, {}));
}

bool is_locked(ByteView secret) { return CRYPTO_secure_allocated(secret.data()) == 1; }

// The last test, since memory can be reserved only once.
TEST(LockedMemory, holds_secrets_once_it_is_reserved_and_always_has_room_for_small_ones)
{
  const auto before = a_secret();
  EXPECT_FALSE(is_locked(before.view()));
  reserve_locked_memory(std::size_t{1} << 16);
  std::vector<SecretBytes> large;
  for (int i = 0; i < 8; ++i) {
    large.push_back(a_secret());
  }
  EXPECT_TRUE(is_locked(large.front().view()));
  EXPECT_FALSE(is_locked(large.back().view()));
  EXPECT_EQ(large.back().view().back(), secret_byte);
  std::vector<SecretBytes> medium;
  do {
    medium.emplace_back(2048);
  } while (is_locked(medium.back().view()));

  std::vector<SecretArray<32>> small(200);
  for (auto & secret : small) {
    std::ranges::fill(secret.span(), secret_byte);
    EXPECT_TRUE(is_locked(secret.view()));
  }
  const SecretArray<32> copied(small.front().view());
  EXPECT_TRUE(is_locked(copied.view()));
  const SecretArray<32> moved(std::move(small.back()));
  EXPECT_TRUE(is_locked(moved.view()));
}

}  // namespace
}  // namespace pqc_tunnel
