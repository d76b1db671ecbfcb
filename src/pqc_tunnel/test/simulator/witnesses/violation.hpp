// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__VIOLATION_HPP_
#define SIMULATOR__WITNESSES__VIOLATION_HPP_

#include <stdexcept>
#include <string>

namespace pqc_tunnel::test
{

// Something that must always hold did not. Named as in docs/protocol.md, as far as it is named there.
class Violation : public std::runtime_error
{
public:
  Violation(std::string invariant, const std::string & text)
  : std::runtime_error(text), invariant_(std::move(invariant))
  {
  }
  const std::string & invariant() const { return invariant_; }

private:
  std::string invariant_;
};

inline void require(bool holds, const char * invariant, const char * text)
{
  if (!holds) {
    throw Violation(invariant, text);
  }
}

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__VIOLATION_HPP_
