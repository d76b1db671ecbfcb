// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "oqs_random.hpp"

#include <oqs/oqs.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

thread_local RandomSource * current_source = nullptr;

void draw(std::uint8_t * out, std::size_t size)
{
  require(current_source != nullptr, "liboqs asked for randomness where none was granted");
  current_source->fill({out, size});
}

}  // namespace

void initialize_oqs()
{
  static std::once_flag once;
  std::call_once(once, [] {
    OQS_init();
    OQS_randombytes_custom_algorithm(&draw);
  });
}

ScopedRandom::ScopedRandom(RandomSource & source) : previous_(current_source)
{
  initialize_oqs();
  current_source = &source;
}

ScopedRandom::~ScopedRandom() { current_source = previous_; }

}  // namespace pqc_tunnel
