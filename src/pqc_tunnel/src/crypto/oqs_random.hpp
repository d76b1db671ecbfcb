// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_
#define PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_

#include "random.hpp"

namespace pqc_tunnel
{

// liboqs draws random bytes from one process-wide callback. While a ScopedRandom lives, draws on its thread come from its
// source; a draw without one ends the process. Scopes nest.
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

// Initializes liboqs once per process; every caller of liboqs calls it first. Any thread.
void initialize_oqs();

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CRYPTO__OQS_RANDOM_HPP_
