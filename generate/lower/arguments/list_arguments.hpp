// SPDX-License-Identifier: Apache-2.0
// Arguments that are arrays, and requests.
#pragma once

#include "generate/lower/arguments/c_arguments.hpp"
#include "generate/lower/call_context.hpp"
#include "generate/lower/shared.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::generate::internal {

using ListRow = std::vector<std::int64_t>;

/// An array argument: the rows it takes, and which one when.
struct ListRows {
  std::vector<ListRow> rows;
  std::vector<Sequence> index; // by rank
  bool have_addresses = false; // in place of which are kFirstAddress and a place in memory
};

class ListArguments {
public:
  /// All must outlive the object.
  ListArguments(WordValues& words, Shared& shared) : words_(words), shared_(shared) {}

  Expression array(const CallContext& context, const CArgument& argument,
                   const trace::Field& field);
  Expression length(const CallContext& context, const CArgument& array);
  Expression request(const CallContext& context, const std::vector<Sequence>& codes);
  Expression requests(const CallContext& context, const CArgument& argument);
  ListRows rows_of(const CallContext& context, int word, const trace::Field& field);

private:
  ListRows completed_rows(const CallContext& context, const CArgument& requests);
  ListRows displacement_rows(const CallContext& context, const CArgument& argument);
  void provide_memory(const ListRows& rows);
  void spread(const CallContext& context, ListRows& rows) const;
  std::optional<Expression> equal_list(const CallContext& context, const CArgument& argument,
                                       const ListRows& rows);
  Expression row_index(const CallContext& context, const ListRows& rows);

  WordValues& words_;
  Shared& shared_;
};

} // namespace rondo::generate::internal
