// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/formula.hpp"
#include "rondo/simulate/network_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rondo::simulate {
namespace {

TEST(NetworkModel, ReadsBothFamilies) {
  const auto linear = parse_network("latency=5us, bandwidth=1GB/s,rendezvous=64kB");
  ASSERT_TRUE(linear.has_value());
  EXPECT_EQ(linear->latency_s, 5e-6);
  EXPECT_EQ(linear->byte_s, 1e-9);
  EXPECT_EQ(linear->eager_bytes, 64000u);
  EXPECT_EQ(linear->handshake_s, 5e-6);
  EXPECT_FALSE(linear->has_ports());
  const auto loggp = parse_network("L=2us,o=0.5us,g=1us,G=0.1ns,S=4KiB,handshake=0");
  ASSERT_TRUE(loggp.has_value());
  EXPECT_TRUE(loggp->has_ports());
  EXPECT_EQ(loggp->gap_s, 1e-6);
  EXPECT_EQ(loggp->eager_bytes, 4096u);
  EXPECT_EQ(loggp->handshake_s, 0);
  EXPECT_DOUBLE_EQ(loggp->bytes_s(11), 1e-9);
}

TEST(NetworkModel, ItsTextIsReadAgain) {
  for (const char* text : {"latency=5us,bandwidth=1GB/s", "latency=0,bandwidth=inf",
                           "latency=1us,bandwidth=3GB/s,overhead=2ns,rendezvous=1kB,handshake=0",
                           "L=2us,o=0.5us,g=1us,G=0.1ns,S=4KiB"}) {
    const auto model = parse_network(text);
    ASSERT_TRUE(model.has_value()) << text;
    const auto again = parse_network(model->text());
    ASSERT_TRUE(again.has_value()) << model->text();
    EXPECT_EQ(*again, *model) << model->text();
  }
}

TEST(NetworkModel, SaysWhatItDoesNotUnderstand) {
  const auto message = [](std::string_view text) {
    const auto model = parse_network(text);
    return model ? std::string("none") : model.error().message;
  };
  EXPECT_EQ(message("latency=5us"), "bandwidth= is missing; 'inf' is a value too");
  EXPECT_EQ(message("latency=5,bandwidth=1GB/s"),
            "latency=: '5' is no time; write e.g. 5us, 0.1ns or 0");
  EXPECT_EQ(message("latency=1us,latency=2us,bandwidth=1GB/s"), "latency= is given twice");
  EXPECT_NE(message("latency=1us,G=1ns").find("do not go with LogGP"), std::string::npos);
  EXPECT_NE(message("speed=1").find("a network has no 'speed'"), std::string::npos);
  EXPECT_NE(message("latency=-1us,bandwidth=1GB/s").find("is no time"), std::string::npos);
}

TEST(NetworkModel, FilesHaveCommentsAndNameTheBadLine) {
  const auto model =
      parse_network_file("# a cluster\nL = 2us # measured\nG = 1ns\n\n", "a.network");
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->latency_s, 2e-6);
  const auto bad = parse_network_file("L = 2us\nwhat\n", "a.network");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().place.line, 2u);
  EXPECT_EQ(bad.error().code, ErrorCode::kFormat);
  const auto long_line = parse_network_file(std::string(5000, 'x'), "a.network");
  ASSERT_FALSE(long_line.has_value());
  EXPECT_LT(long_line.error().message.size(), 100u); // what is wrong, not all of it
}

TEST(Formula, HasTheUsualOrderAndItsFunctions) {
  const FormulaValues values{.latency = 2, .bandwidth = 4, .ranks = 8, .bytes = 100};
  const auto value = [&](std::string_view text) {
    const auto formula = Formula::parse(text);
    return formula ? formula->value(values) : std::nan("");
  };
  EXPECT_EQ(value("1+2*3-4/2"), 5);
  EXPECT_EQ(value("2*latency*log2(ranks)+bytes/bandwidth"), 37);
  EXPECT_EQ(value("-(1-3)*max(latency, min(9, 5))"), 10);
  EXPECT_EQ(value("ceil(1.2)+floor(1.8)+sqrt(16)"), 7);
  for (const char* text : {"", "1+", "latency latency", "log2()", "foo", "max(1)", "(1"})
    EXPECT_FALSE(Formula::parse(text).has_value()) << text;
}

TEST(Formula, ConstantsAreCosts) {
  for (const char* text :
       {"1/0", "0/0", "1e308*1e308", "-1", "log2(0)", "sqrt(-1)", "inf", "nan", "1e999"})
    EXPECT_FALSE(Formula::parse(text).has_value()) << text;
  EXPECT_EQ(Formula::parse("1e30/1e30")->value({}), 1); // numbers larger than any index
}

} // namespace
} // namespace rondo::simulate
