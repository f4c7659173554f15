// SPDX-License-Identifier: Apache-2.0
// Tokens of a rank's lines as words of its calls.
#include "convert/simgrid_ti/rank_folder.hpp"
#include "convert/text/tokens.hpp"

#include <cmath>

namespace rondo::convert::internal {
namespace {

// SimGrid's own numbers. A rank that it cannot name prints as its MPI_UNDEFINED: on the receiving
// side that is MPI_ANY_SOURCE (or, rarely, MPI_PROC_NULL), on the sending side it can only be
// MPI_PROC_NULL.
constexpr std::int64_t kSimgridUndefined = -333;
constexpr std::int64_t kSimgridAnyTag = -444;
constexpr std::int64_t kSimgridAnySource = -555;
constexpr std::int64_t kSimgridProcNull = -666;

} // namespace

Result<double> RankFolder::amount(std::string_view name, std::string_view token) const {
  double value = 0;
  if (parse(token, value) && std::isfinite(value) && value >= 0 &&
      value * seconds_per_flop_ < kMaxNanoseconds / 1e9) {
    return value;
  }
  return bad(sentence("found ", shown(token), "; expected ", name, ", 0 or more"));
}

Result<std::int64_t> RankFolder::number(std::string_view name, std::string_view token) const {
  std::int64_t value = 0;
  if (parse(token, value) && !trace::is_special(value)) return value;
  double real = 0; // SimGrid prints large counts so
  if (parse(token, real) && std::abs(real) < 9e15 && real == std::floor(real))
    return static_cast<std::int64_t>(real);
  return bad(sentence("found ", shown(token), "; expected a whole number for ", name));
}

Result<std::int64_t> RankFolder::count(std::string_view name, std::string_view token) const {
  const auto value = number(name, token);
  if (!value || *value >= 0) return value;
  if (*value == -1) return trace::kNothing; // unknown where it was traced
  return bad(sentence("found ", shown(token), "; expected 0 or more for ", name));
}

Result<std::int64_t> RankFolder::tag(std::string_view token) const {
  const auto value = number("the tag", token);
  if (value && *value == kSimgridAnyTag) return trace::kAnyTag;
  return value;
}

Result<std::int64_t> RankFolder::peer(std::string_view name, std::string_view token,
                                      bool is_source) const {
  const auto value = number(name, token);
  if (!value || (*value >= 0 && *value < ranks_)) return value;
  if (*value == kSimgridProcNull) return trace::kProcNull;
  if (*value == kSimgridUndefined) return is_source ? trace::kAnySource : trace::kProcNull;
  if (*value == kSimgridAnySource && is_source) return trace::kAnySource;
  return bad(sentence("found ", shown(token), " for ", name, "; expected a rank from 0 to ",
                      std::to_string(ranks_ - 1), " (is a rank's file missing?)"));
}

Result<std::int64_t> RankFolder::root(std::string_view token) const {
  const auto value = number("the root", token);
  if (!value || (*value >= 0 && *value < ranks_)) return value;
  return bad(sentence("found ", shown(token), " for the root; expected a rank from 0 to ",
                      std::to_string(ranks_ - 1)));
}

Result<std::int64_t> RankFolder::datatype(std::string_view token) {
  int value = 0;
  if (parse(token, value) && value == -1) return trace::kNull;
  const bool is_known = parse(token, value) && value >= 0 && value < kDatatypes &&
                        !simgrid_datatype(value).name.empty();
  if (is_known) return use_datatype(value);
  return bad(sentence("found ", shown(token), "; expected SimGrid's number of a datatype, 0 to ",
                      std::to_string(kDatatypes - 1)));
}

std::int64_t RankFolder::use_datatype(int type) {
  is_used_[static_cast<std::size_t>(type)] = true;
  return simgrid_datatype(type).word;
}

} // namespace rondo::convert::internal
