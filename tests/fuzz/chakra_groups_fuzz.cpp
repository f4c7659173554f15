// SPDX-License-Identifier: Apache-2.0
// Fuzz target of comm_group.json beside Chakra traces: read_chakra() of a folder of four ranks, who
// have operations of three groups.
#include "rondo/convert/chakra.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

#include <string>

namespace {

constexpr int kRanks = 4;

// Protobuf's wire format, of numbers and lengths below 128 (convert/chakra/et_def.proto has the
// fields).
std::string key(unsigned field, unsigned type) {
  const unsigned word = field << 3 | type;
  if (word < 128) return {static_cast<char>(word)};
  return {static_cast<char>((word & 127) | 128), static_cast<char>(word >> 7)};
}
std::string number(unsigned field, char value) { return key(field, 0) + value; }
std::string with_length(const std::string& bytes) {
  return static_cast<char>(bytes.size()) + bytes;
}
std::string text(unsigned field, const std::string& bytes) {
  return key(field, 2) + with_length(bytes);
}

// An allreduce of 64 bytes in a group.
std::string operation(char id, const std::string& group) {
  const std::string kind = text(10, text(1, "comm_type") + number(9, 0));
  const std::string size = text(10, text(1, "comm_size") + number(9, 64));
  const std::string name = text(10, text(1, "pg_name") + text(29, group));
  return with_length(number(1, id) + number(3, 7) + kind + size + name);
}

// Ranks 0 and 1 are in group 1, 2 and 3 in group 2, all in group 3.
void write_traces(const rondo::fuzz::InputFolder& folder) {
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string trace =
        with_length(text(1, "0.0.4")) + operation(1, rank < 2 ? "1" : "2") + operation(2, "3");
    folder.write("run." + std::to_string(rank) + ".et",
                 reinterpret_cast<const std::uint8_t*>(trace.data()), trace.size());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const rondo::fuzz::InputFolder kFolder;
  [[maybe_unused]] static const bool kIsWritten = (write_traces(kFolder), true);
  kFolder.write("comm_group.json", bytes, size);
  const auto imported = rondo::convert::read_chakra(kFolder.path(), {});
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
