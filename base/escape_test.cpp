// SPDX-License-Identifier: Apache-2.0
// Each language's own parser reads what these functions make in tests/hostile/hostile_test.py.
#include "rondo/base/escape.hpp"

#include <gtest/gtest.h>

namespace rondo::escape {
namespace {

using namespace std::string_literals;

TEST(Escape, PlainTextStaysAsItIs) {
  const std::string plain = "lmp -in in.melt µs Größe 行列";
  EXPECT_EQ(terminal(plain), plain);
  EXPECT_EQ(c_comment(plain), plain);
  EXPECT_EQ(python_comment(plain), plain);
  EXPECT_EQ(xml(plain), plain);
  EXPECT_EQ(makefile(plain), plain);
  EXPECT_EQ(csv("ring.8"), "ring.8");
  EXPECT_EQ(dot("2x2 torus"), "\"2x2 torus\"");
  EXPECT_EQ(shell("app"), "'app'");
}

TEST(Escape, TerminalsAreSentNoCommands) {
  EXPECT_EQ(terminal("\x1b[2Jx\a\r\n\0"s), "\\x1b[2Jx\\x07\\x0d\\x0a\\x00");
  EXPECT_EQ(terminal("\x7f\xc2\x9b"), "\\x7f\\u009b"); // the second: CSI in one character
  EXPECT_EQ(terminal("a\u202e\u2066b\u200b"), "a\\u202e\\u2066b\\u200b");
  EXPECT_EQ(terminal("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(message("a\n\tb"), "a\n\\x09b");
  EXPECT_EQ(quoted("\"\\"), "\"\\x22\\x5c\"");
}

TEST(Escape, MessagesLoseTheMiddleOfOverlongLines) {
  EXPECT_EQ(message("a\nb\x1b\n"), "a\nb\\x1b\n");
  EXPECT_EQ(message(std::string(2000, 'x')), std::string(2000, 'x'));
  const std::string text =
      message("first\n'" + std::string(100'000, 'x') + "' is no network; say so");
  EXPECT_LT(text.size(), 2000u);
  EXPECT_EQ(text.substr(0, 8), "first\n'x");
  EXPECT_NE(text.find("x [98224 bytes left out] x"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("x' is no network; say so"));
}

TEST(Escape, BytesThatAreNoUtf8AreShown) {
  EXPECT_EQ(terminal("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(terminal("\xc0\xaf"), "\\xc0\\xaf"); // a slash in two bytes
  EXPECT_EQ(terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // half a character of UTF-16
  EXPECT_EQ(terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(json_document("\"\xff\""), "\"\xff\""); // json_text() has replaced them
}

TEST(Escape, CommentsDoNotEndEarly) {
  EXPECT_EQ(c_comment("*/ int x; /*"), "* / int x; / * ");
  EXPECT_EQ(c_comment("**//"), "** //");
  EXPECT_EQ(c_comment("a?\?/"), "a? ?/");
  EXPECT_EQ(c_comment("\\"), "\\x5c");
  EXPECT_EQ(python_comment(R"(""" \N{x})"), "''' /N{x}");
}

TEST(Escape, StringsOfCKeepTheirBytes) {
  EXPECT_EQ(c_string("a\"\\?\n1\xff"), R"("a\"\\\?\0121\377")");
  EXPECT_EQ(python_string("\"\\µ\xff\n"), R"("\"\\\u00b5\xff\x0a")");
}

TEST(Escape, ShellsAndMakeRunNothing) {
  EXPECT_EQ(shell("x'$(touch P)'y"), R"('x'\''$(touch P)'\''y')");
  EXPECT_EQ(makefile(R"($(shell x)#\#\)"), R"($$(shell x)\#\\\#\ )");
}

TEST(Escape, MarkupBecomesText) {
  EXPECT_EQ(xml("]]><a b='\"'>&\x1b"), "]]&gt;&lt;a b=&#39;&quot;&#39;&gt;&amp;\\x1b");
  EXPECT_EQ(dot("\"\\N"), R"("\"\\N")");
  EXPECT_EQ(json_document("\"</script>\u202e\U000e0041\""), R"("<\/script>\u202e\udb40\udc41")");
  EXPECT_EQ(csv("a,\"b\""), R"("a,""b""")");
  EXPECT_EQ(csv("=cmd()"), "'=cmd()");
  EXPECT_EQ(markdown("[x](y) <b> *z*"), R"(\[x\]\(y\) &lt;b\> \*z\*)");
}

} // namespace
} // namespace rondo::escape
