// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__CORE__RANDOM_HPP_
#define PQC_TUNNEL__CORE__RANDOM_HPP_

#include "pqc_tunnel/core/bytes.hpp"

namespace pqc_tunnel
{

// Where randomness comes from: always an argument, so that tests can repeat a run.
class RandomSource
{
public:
  virtual ~RandomSource() = default;
  virtual void fill(MutableBytes out) = 0;
};

// The kernel's generator. Ends the process if the kernel refuses: there is no safe way on. Any
// thread.
class SystemRandom final : public RandomSource
{
public:
  void fill(MutableBytes out) override;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__CORE__RANDOM_HPP_
