// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/command_line.hpp"

#include <gtest/gtest.h>

namespace rondo {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLine, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(command_line({"./app", "-n", "3"}), "./app -n 3");
  EXPECT_EQ(command_line({"/opt/my app/solver", "it's", ""}), "'/opt/my app/solver' 'it'\\''s' ''");
  EXPECT_EQ(command_line({}), "");
}

TEST(CommandLine, WordsAreWhatWasQuoted) {
  const Words words = {"/opt/my app/solver", "it's", "a\"b\"c", "back\\slash", "$x", "", "-v"};
  EXPECT_EQ(words_of_command(command_line(words)), words);
}

TEST(CommandLine, LinesOfOthersNeedNotBeQuoted) {
  EXPECT_EQ(words_of_command(" lu.B.16\t-v\n"), (Words{"lu.B.16", "-v"}));
  EXPECT_EQ(words_of_command("joe's -v"), (Words{"joe's", "-v"}));
  EXPECT_EQ(words_of_command("\"my app\" my\\ app end\\"), (Words{"my app", "my app", "end\\"}));
  EXPECT_EQ(words_of_command(""), Words{});
}

} // namespace
} // namespace rondo
