// SPDX-License-Identifier: Apache-2.0
#include "matrix/json.hpp"

#include "matrix/text.hpp"
#include "rondo/matrix/file_table.hpp"
#include "rondo/matrix/matrix_files.hpp"

namespace rondo::matrix {

void internal::append_entries(std::string& json, const CommunicationMatrix& matrix) {
  json.reserve(json.size() + matrix.entries().size() * 80);
  const char* before = "[\n";
  for (const MatrixEntry& entry : matrix.entries()) {
    append_number(json.append(before).append("    {\"source\": "), entry.source);
    append_number(json.append(", \"destination\": "), entry.destination);
    append_number(json.append(", \"messages\": "), entry.messages);
    append_number(json.append(", \"bytes\": "), entry.bytes);
    json += '}';
    before = ",\n";
  }
  json += matrix.entries().empty() ? "[]" : "\n  ]";
}

std::string to_json(const CommunicationMatrix& matrix, const FileTraffic* files,
                    const OtherTraffic* others) {
  std::string json =
      "{\n  \"schema\": 1,\n  \"ranks\": " + std::to_string(matrix.ranks()) + ",\n  \"entries\": ";
  internal::append_entries(json, matrix);
  if (files != nullptr) json += ",\n  \"files\": " + file_table_json(*files);
  if (others != nullptr) json += ",\n  \"other_processes\": " + other_table_json(*others);
  return json + "\n}\n";
}

} // namespace rondo::matrix
