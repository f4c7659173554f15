// SPDX-License-Identifier: Apache-2.0
#include "rondo/report/page.hpp"

#include <gtest/gtest.h>

namespace rondo::report {
namespace {

TEST(ReportPage, SameInputGivesTheSameBytes) {
  if (!is_available()) GTEST_SKIP() << "the build has no report";
  const auto page = report_page("run", "{}");
  ASSERT_TRUE(page);
  EXPECT_EQ(*page, *report_page("run", "{}"));
  EXPECT_NE(*page, *report_page("run", "{\"a\": 1}"));
}

TEST(ReportPage, TextsFromArchivesAreNoMarkup) {
  if (!is_available()) GTEST_SKIP() << "the build has no report";
  const auto page = report_page("</title><img src=x>", "\"</script><script>alert(1)</script>\"");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find("<img"), std::string::npos);
  EXPECT_EQ(page->find("alert(1)"), std::string::npos);
  EXPECT_NE(page->find("default-src 'none'"), std::string::npos);
}

TEST(ReportPage, SaysWhatIsMissingInABuildWithoutIt) {
  if (is_available()) GTEST_SKIP() << "the build has a report";
  const auto page = report_page("run", "{}");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kUnsupported);
}

} // namespace
} // namespace rondo::report
