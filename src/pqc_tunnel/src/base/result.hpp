// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__RESULT_HPP_
#define PQC_TUNNEL__BASE__RESULT_HPP_

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "shown_text.hpp"

namespace pqc_tunnel
{

/// The kind of an Error, for callers that react to it.
enum class ErrorCode
{
  invalid_argument,  ///< the caller's input is of the wrong size, range or form
  unavailable,       ///< an algorithm, file or resource does not exist
  authentication,    ///< a MAC, tag or signature is wrong
  permission,        ///< a file is readable by others, or not by this process
  protocol,          ///< a message that is not allowed in this state
  internal,          ///< a library call failed that must not fail
};

/// An error with one sentence for a person. The sentence never contains secret bytes, and shown() has escaped what a
/// terminal would interpret.
struct Error
{
  Error(ErrorCode of, std::string sentence) : code(of), message(shown(std::move(sentence))) {}

  ErrorCode code;
  std::string message;
};

/// A value or an Error.
template <class T>
using Result = tl::expected<T, Error>;

/// Makes the Error of a Result: `return fail(code, sentence);`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message)
{
  return tl::make_unexpected(Error{code, std::move(message)});
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__RESULT_HPP_
