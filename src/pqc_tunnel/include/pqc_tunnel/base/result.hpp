// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__RESULT_HPP_
#define PQC_TUNNEL__BASE__RESULT_HPP_

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace pqc_tunnel
{

enum class ErrorCode
{
  invalid_argument,  // the caller's input is of the wrong size, range or form
  unavailable,       // an algorithm, file or resource isn't there
  authentication,    // a MAC, tag or signature does not hold
  permission,        // a file is readable by others, or can't be read
  protocol,          // a message out of place
  internal,          // a library failed where it must not
};

// What went wrong, as one sentence for a person. Never holds secret bytes.
struct Error
{
  ErrorCode code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message)
{
  return tl::make_unexpected(Error{code, std::move(message)});
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__RESULT_HPP_
