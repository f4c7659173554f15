// SPDX-License-Identifier: Apache-2.0
// A command as one line of text, and its words again. Words that a POSIX shell would take apart,
// such as paths with blanks, are quoted, so that the line can be typed as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rondo {

/// "./app -n 3", "'/opt/my app/solver' -v"
std::string command_line(const std::vector<std::string>& words);

/// The words without their quotes, which may be single, double or backslashes. A quote that is not
/// closed is a character like others, as in lines of other tools, which do not quote.
std::vector<std::string> words_of_command(std::string_view line);

} // namespace rondo
