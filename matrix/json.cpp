// SPDX-License-Identifier: Apache-2.0
#include "matrix/json.hpp"

#include "rondo/matrix/matrix_files.hpp"

namespace rondo::matrix {

nlohmann::ordered_json internal::entries_json(const CommunicationMatrix& matrix) {
  auto entries = nlohmann::ordered_json::array();
  for (const MatrixEntry& entry : matrix.entries()) {
    entries.push_back({{"source", entry.source},
                       {"destination", entry.destination},
                       {"messages", entry.messages},
                       {"bytes", entry.bytes}});
  }
  return entries;
}

std::string to_json(const CommunicationMatrix& matrix) {
  nlohmann::ordered_json document;
  document["schema"] = 1;
  document["ranks"] = matrix.ranks();
  document["entries"] = internal::entries_json(matrix);
  return document.dump(2) + "\n";
}

} // namespace rondo::matrix
