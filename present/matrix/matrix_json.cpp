// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_json.hpp"

#include "matrix/files/text.hpp"
#include "present/matrix/file_table.hpp"
#include "present/matrix/matrix_output.hpp"
#include "present/matrix/other_table.hpp"

namespace rondo::present {

void append_entries(std::string& json, const matrix::CommunicationMatrix& matrix) {
  json.reserve(json.size() + matrix.entries().size() * 80);
  const char* before = "[\n";
  for (const matrix::MatrixEntry& entry : matrix.entries()) {
    matrix::internal::append_number(json.append(before).append("    {\"source\": "), entry.source);
    matrix::internal::append_number(json.append(", \"destination\": "), entry.destination);
    matrix::internal::append_number(json.append(", \"messages\": "), entry.messages);
    matrix::internal::append_number(json.append(", \"bytes\": "), entry.bytes);
    json += '}';
    before = ",\n";
  }
  json += matrix.entries().empty() ? "[]" : "\n  ]";
}

std::string to_json(const matrix::CommunicationMatrix& matrix, const matrix::FileTraffic* files,
                    const matrix::OtherTraffic* others) {
  std::string json =
      "{\n  \"schema\": 1,\n  \"ranks\": " + std::to_string(matrix.ranks()) + ",\n  \"entries\": ";
  append_entries(json, matrix);
  if (files != nullptr) json += ",\n  \"files\": " + file_table_json(*files);
  if (others != nullptr) json += ",\n  \"other_processes\": " + other_table_json(*others);
  return json + "\n}\n";
}

} // namespace rondo::present
