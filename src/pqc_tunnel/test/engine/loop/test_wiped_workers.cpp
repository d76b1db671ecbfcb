// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <semaphore>

#include "crypto/random.hpp"
#include "engine/engine_fixture.hpp"
#include "engine/loop/worker_pool.hpp"
#include "os/wiped_stack.hpp"
#include "support/identities.hpp"
#include "support/memory_search.hpp"

// The jobs of a whole key exchange on real worker threads, which stay: no secret of theirs is left in the process.

namespace pqc_tunnel::test
{
namespace
{

constexpr HandshakeMode hybrid{true, false};

// Both ends of one exchange under a suite; what one job returns goes into the next.
class Exchange
{
public:
  explicit Exchange(const Suite & suite)
  : suite_(suite), ids_(Identities::for_signature(suite.signature))
  {
    random_.fill(opening_);
    psk_ = std::make_shared<const PskKeySet>(PskKeySet::derive(ids_.record(1).psk));
  }

  MakePrekey make_prekey()
  {
    return {
      &suite_, hybrid, ids_.gcs_part().id, KeyId{},
      ids_.gcs_part().signing_keys.at(suite_.signature)};
  }
  void run()
  {
    auto issued = result<IssuedPrekey>(IssuePrekey{make_prekey(), std::nullopt, Digest{}});
    remember(issued.secret.kem_secret_key.view());
    remember(issued.secret.x25519->secret_key.view());
    auto verified = result<VerifiedPrekey>(VerifyPrekey{
      &suite_, hybrid, ids_.gcs_part().id, ids_.drone_part(1).gcs_keys.at(suite_.signature),
      Digest{}, issued.message});
    auto made = result<FinishMade>(
      MakeFinish{&suite_, hybrid, psk_, Resumption(), nullptr, opening_, std::move(verified)});
    remember_shared_secrets(issued.secret, made.finish);
    remember(made.secrets);
    const auto completed = result<FinishCompleted>(CompleteFinish{
      &suite_, hybrid, psk_, Resumption(), nullptr, opening_, std::move(issued.secret),
      made.finish});
    EXPECT_EQ(completed.confirmation, made.confirmation);
  }
  // Bytes that are not zero on the stacks of the workers, far below the frames in which they wait.
  static std::size_t left_on_stacks()
  {
    constexpr std::uint64_t stack_size = std::uint64_t{32} << 20;
    constexpr std::uint64_t own_frames = std::uint64_t{64} << 10;
    std::size_t stacks = 0;
    std::size_t left = 0;
    for (const auto & [begin, end] : writable_memory()) {
      const std::uint64_t size = end - begin;
      if (size <= stack_size && size > stack_size - own_frames) {
        ++stacks;
        const auto * bytes = reinterpret_cast<const std::uint8_t *>(begin);
        left += static_cast<std::size_t>(std::count_if(
          bytes, bytes + size - own_frames, [](std::uint8_t byte) { return byte != 0; }));
      }
    }
    EXPECT_EQ(stacks, 2u);
    return left;
  }
  const std::vector<Needle> & needles() const { return needles_; }

private:
  template <class Result>
  Result result(Job job)
  {
    workers_.submit(JobId{1}, std::move(job));
    finished_.acquire();
    auto done = workers_.take_finished();
    EXPECT_EQ(done.size(), 1u);
    return std::get<Result>(std::move(done.front().result));
  }
  void remember(ByteView secret) { needles_.emplace_back(secret); }
  void remember(const EpochSecrets & secrets)
  {
    remember(secrets.drone_to_gcs_key.view());
    remember(secrets.gcs_to_drone_key.view());
    remember(secrets.resumption.view());
  }
  // Those that both ends have agreed on, computed once more.
  void remember_shared_secrets(const PrekeySecret & secret, ByteView finish)
  {
    run_on_wiped_stack([&] {
      const auto message = parse_finish(finish, suite_, hybrid);
      auto kem = Kem::open(suite_.kem);
      const auto shared = kem->decapsulate(message->ciphertext, secret.kem_secret_key);
      const auto x25519 = x25519_shared_secret(*secret.x25519, message->x25519_key);
      remember(shared->view());
      remember(x25519->view());
    });
  }

  const Suite & suite_;
  const Identities & ids_;
  SystemRandom random_;
  Bytes opening_ = Bytes(100);
  SharedPskKeys psk_;
  std::counting_semaphore<> finished_{0};
  WorkerPool workers_{2, 0, [this] { finished_.release(); }};
  std::vector<Needle> needles_;
};

class Workers : public testing::TestWithParam<const char *>
{
};

TEST_P(Workers, keep_no_secret_of_an_exchange_on_their_stacks_or_elsewhere)
{
  Exchange exchange(suite(GetParam()));
  exchange.run();
  EXPECT_TRUE(eventually([&] { return exchange.left_on_stacks() == 0; }))
    << exchange.left_on_stacks();
  ASSERT_EQ(exchange.needles().size(), 7u);
  for (std::size_t i = 0; i < exchange.needles().size(); ++i) {
    EXPECT_EQ(count_in_memory(exchange.needles()[i]), 0u) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
  Suites, Workers,
  testing::Values(
    "cs-mlkem512-aesgcm-mldsa44", "cs-mlkem1024-chacha20poly1305-mldsa87",
    "cs-classicmceliece348864-aesgcm-falcon512", "cs-frodokem640aes-aesgcm-mldsa44",
    "cs-hqc128-aesgcm-falcon512"));

TEST(WipedStack, holds_nothing_of_what_ran_on_it_however_deep)
{
  SeededRandom random(5);
  SecretBytes secret(Needle::size);
  random.fill(secret.span());
  const Needle needle(secret.view());
  const auto leave_copies = [&] {
    volatile std::uint8_t left[100'000];
    for (std::size_t i = 0; i < sizeof(left); ++i) {
      left[i] = secret.view()[i % Needle::size];
    }
  };
  run_on_wiped_stack([&] {
    leave_copies();
    EXPECT_GT(count_in_memory(needle), 1u);
  });
  EXPECT_EQ(count_in_memory(needle), 1u);
}

}  // namespace
}  // namespace pqc_tunnel::test
