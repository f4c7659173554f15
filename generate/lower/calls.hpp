// SPDX-License-Identifier: Apache-2.0
// A recorded call as statements of a benchmark: every argument of the C binding as an expression.
#pragma once

#include "generate/lower/c_arguments.hpp"
#include "generate/lower/places.hpp"
#include "generate/lower/shared.hpp"
#include "generate/lower/values.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rondo::generate::internal {

class Calls {
public:
  Calls(const trace::Trace& trace, WordValues& words, Places& places, Shared& shared)
      : trace_(trace), words_(words), places_(places), shared_(shared),
        benchmark_(shared.benchmark), forms_(shared.forms), objects_(shared.objects) {}

  /// Sees what all calls refer to, so that tables get their lengths.
  void survey();
  /// @param symbol   of the merged program
  std::vector<Statement> statements(std::size_t symbol, const Place& place, const TermPlace& at);
  /// Of the ranks that make the call.
  Domain domain(std::size_t symbol) { return context_of(symbol, {}).domain; }

private:
  // One call while it is turned into a statement.
  struct Context {
    const trace::MergedCall* merged = nullptr;
    const trace::Function* function = nullptr;
    std::vector<std::int64_t> ranks;
    Domain domain;
    Place place;
    std::vector<std::vector<Sequence>> words; // by word and rank
  };
  using Row = std::vector<std::int64_t>;
  // An array argument: the rows it takes, and which one when.
  struct Rows {
    std::vector<Row> rows;
    std::vector<Sequence> index; // by rank
    bool have_addresses = false; // in place of which are kFirstAddress and a place in memory
  };

  Context context_of(std::size_t symbol, const Place& place, const TermPlace* at = nullptr);
  void set_domain(Context& context);
  const trace::Field* field_of(const Context& context, int word) const;
  /// Only the executions in which the word has that value; the loops around say nothing about them.
  Context only(const Context& context, int word, std::int64_t value) const;

  Statement call_of(const Context& context);
  std::vector<Statement> poll(const Context& context, int outcome);
  std::optional<std::vector<Sequence>> frees_of(const Context& context, std::size_t symbol,
                                                const TermPlace& at);
  std::vector<Statement> free_made(Context context, std::vector<Sequence> flags);
  Statement found(const Context& context);
  Statement not_found(const Context& context);

  Expression argument(const Context& context, const CArgument& argument);
  Expression scalar(const Context& context, const CArgument& argument, const trace::Field& field);
  Expression buffer(const Context& context, const CArgument& argument);
  Expression request(const Context& context, const std::vector<Sequence>& codes);
  Expression requests(const Context& context, const CArgument& argument);
  Expression array(const Context& context, const CArgument& argument, const trace::Field& field);
  Expression length(const Context& context, const CArgument& array);
  Expression outcome(const CArgument& argument) const;
  void provide_files(const Context& context, const std::vector<Sequence>& numbers);
  Expression text(const Context& context, const CArgument& argument);

  Rows rows_of(const Context& context, int word, const trace::Field& field);
  Rows completed_rows(const Context& context, const CArgument& requests);
  void provide_memory(const Rows& rows);
  void spread(const Context& context, Rows& rows) const;
  Rows displacement_rows(const Context& context, const CArgument& argument);
  std::optional<Expression> equal_list(const Context& context, const CArgument& argument,
                                       const Rows& rows);
  Expression row_index(const Context& context, const Rows& rows);
  Expression unsaid_operation(const Context& context);
  Expression count_name(std::int64_t value, const Context& context);

  std::int64_t message_bytes(const Context& context);
  std::int64_t largest_extent(const std::vector<std::int64_t>& slots);

  const trace::Trace& trace_;
  WordValues& words_;
  Places& places_;
  Shared& shared_;
  Benchmark& benchmark_;
  ValueForms& forms_;
  Objects& objects_;
  std::map<std::int64_t, std::int64_t> extents_; // of datatypes by slot
  std::map<std::string, std::size_t>
      names_; // that the program gave to phases and objects -> number
};

} // namespace rondo::generate::internal
