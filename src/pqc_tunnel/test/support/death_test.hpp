// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__DEATH_TEST_HPP_
#define SUPPORT__DEATH_TEST_HPP_

#include <gtest/gtest.h>

#include <cstdlib>

namespace pqc_tunnel
{

// Lets the statements of death tests run in a program that is started anew, safe from this one's threads. A program in an
// emulator can't start itself.
inline void die_in_a_new_program()
{
  GTEST_FLAG_SET(
    death_test_style, std::getenv("PQC_TEST_EMULATOR") == nullptr ? "threadsafe" : "fast");
}

}  // namespace pqc_tunnel

#endif  // SUPPORT__DEATH_TEST_HPP_
