// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_
#define PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_

#include "pqc_tunnel/crypto/random.hpp"

namespace pqc_tunnel
{

// liboqs draws from one process-wide callback. While a ScopedRandom lives, what liboqs draws on
// this thread comes from its source; without one, drawing ends the process. Scopes nest.
class ScopedRandom
{
public:
  explicit ScopedRandom(RandomSource & source);
  ~ScopedRandom();
  ScopedRandom(const ScopedRandom &) = delete;
  ScopedRandom & operator=(const ScopedRandom &) = delete;

private:
  RandomSource * previous_;
};

// Prepares liboqs for this process, once; everything that calls liboqs does this first. Any thread.
void initialize_oqs();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_
