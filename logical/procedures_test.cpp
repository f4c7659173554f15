// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/procedures.hpp"

#include "rondo/logical/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::logical {
namespace {

using ::testing::HasSubstr;

constexpr const char* kEnd = "# off topology: 0 of 0 point-to-point calls, 0 of 0 bytes\n";

LogicalText parsed(const std::string& text) {
  auto read = parse_logical_text(text, "x.txt");
  EXPECT_TRUE(read) << read.error().text();
  return read ? std::move(*read) : LogicalText{};
}

std::string why_not(const std::string& text) {
  const auto read = parse_logical_text(text, "x.txt");
  return read ? "" : read.error().text();
}

// A step of six calls: at the top, in a loop, and in the guard of that loop.
std::string twice(const std::string& last) {
  const std::vector<std::string> step = {"allreduce 1 int sum", "bcast 1 int  root 0", "barrier",
                                         "allreduce 2 int max", "bcast 2 int  root 0", last};
  std::string text = "program a  # 4 ranks, 21 records\n  on ring of 4 ranks: west, east\n  init\n";
  for (const std::string& line : step) text += "  " + line + "\n";
  text += "  loop 5:\n    reduce 1 int sum  root 0\n";
  for (const std::string& line : step) text += "    " + line + "\n";
  text += "    if not west:\n";
  for (const std::string& line : step) text += "      " + line + "\n";
  return text + kEnd;
}

TEST(Procedures, WhatComesAgainIsWrittenOnce) {
  const LogicalText text = parsed(twice("allgather 1 int 1 int"));
  const std::string shorter = logical_text(with_procedures(text));
  EXPECT_EQ(shorter, std::string(R"(program a  # 4 ranks, 13 records
  on ring of 4 ranks: west, east
  procedure part_1:
    allreduce 1 int sum
    bcast 1 int  root 0
    barrier
    allreduce 2 int max
    bcast 2 int  root 0
    allgather 1 int 1 int
  init
  call part_1
  loop 5:
    reduce 1 int sum  root 0
    call part_1
    if not west:
      call part_1
)") + kEnd);
}

TEST(Procedures, ReadAndWrittenOutTheyAreTheSameProgram) {
  const LogicalText text = parsed(twice("allgather 1 int 1 int"));
  const LogicalText read = parsed(logical_text(with_procedures(text)));
  EXPECT_EQ(read.procedures.size(), 1U);
  EXPECT_EQ(lines_expanded(read), 21U + 1);
  EXPECT_EQ(logical_text(expanded(read)), logical_text(text));
  const Comparison same = compare(read, text);
  EXPECT_FALSE(same.difference.has_value());
  EXPECT_TRUE(same.scaling.empty());
  EXPECT_TRUE(compare(read, parsed(twice("scan 1 int sum"))).difference.has_value());
}

TEST(Procedures, WhatSavesTooLittleStays) {
  const std::string text = std::string("program a  # 1 rank, 4 records\n  barrier\n  init\n") +
                           "  barrier\n  init\n" + kEnd;
  EXPECT_EQ(logical_text(with_procedures(parsed(text))), text);
}

TEST(Procedures, TheReaderSaysWhatIsWrong) {
  const std::string head = "program a  # 1 rank, 4 records\n";
  const std::string one = "  procedure p:\n    barrier\n";
  EXPECT_THAT(why_not(head + one + "  call q\n" + kEnd), HasSubstr("no procedure of this name"));
  EXPECT_THAT(why_not(head + one + one + kEnd), HasSubstr("second procedure 'p'"));
  EXPECT_THAT(why_not(head + "  procedure p:\n    call p\n" + kEnd), HasSubstr("calls 'p'"));
  EXPECT_THAT(why_not(head + "  procedure p:\n  barrier\n" + kEnd), HasSubstr("something inside"));
  EXPECT_THAT(why_not(head + "  procedure p:\n" + kEnd), HasSubstr("something inside"));
  EXPECT_THAT(why_not(head + "  init\n" + one + kEnd), HasSubstr("opens neither"));
}

// Each twice the one before: a short text of 2^40 lines.
TEST(Procedures, ATextThatWouldBeTooLongIsRefused) {
  std::string text = "program a  # 1 rank, 122 records\n  procedure p0:\n    barrier\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string call = "    call p" + std::to_string(i - 1) + "\n";
    text += "  procedure p" + std::to_string(i) + ":\n";
    text += call;
    text += call;
  }
  EXPECT_THAT(why_not(text + "  call p40\n" + kEnd), HasSubstr("two million lines"));
}

} // namespace
} // namespace rondo::logical
