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

/// The text as one line for a log or a terminal: what would end the line, move the cursor or turn the reading direction,
/// and what is no UTF-8, becomes an escape that can be seen, like \x1b or \u2028. At most so many bytes and "…".
std::string shown(std::string text, std::size_t most = most_shown);

/// The same for text of several own lines of any length: line ends and tabs stay.
std::string shown_lines(std::string_view text);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__BASE__SHOWN_TEXT_HPP_
