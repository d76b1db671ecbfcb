// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__BASE__SHOWN_TEXT_HPP_
#define PQC_TUNNEL__BASE__SHOWN_TEXT_HPP_

#include <cstddef>
#include <string>
#include <string_view>

namespace pqc_tunnel
{

inline constexpr std::size_t most_shown = 4096;  ///< bytes of a line

/// Returns the text as one line for a log or a terminal. Line ends, controls, marks that change the reading direction
/// and invalid UTF-8 become escapes like \x1b or \u2028. A longer text is cut to `most` bytes and "…".
std::string shown(std::string text, std::size_t most = most_shown);

/// Escapes a text of several lines and any length as shown() does, but keeps line ends and tabs.
std::string shown_lines(std::string_view text);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__SHOWN_TEXT_HPP_
