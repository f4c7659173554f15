// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/input_files.hpp"

#include "rondo/trace/call_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <string>
#include <unistd.h>

namespace rondo::generate {
namespace {

// Bits of File_open's amode in words, in the order of the table of MPI functions.
constexpr std::int64_t kCreate = 1 << 3;
constexpr std::int64_t kExclusive = 1 << 4;

// Sparse, and larger than what any program reads of its input.
constexpr off_t kBytes = off_t{1} << 36;

struct Names {
  std::set<std::string> expected;
  std::set<std::string> refused; // opened in a mode in which they must not be there
};

bool uses_files(const trace::Program& program) {
  for (const trace::Call& call : program.calls) {
    if (trace::find_function(call.function)->word_of("filename") >= 0) return true;
  }
  return false;
}

void add(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank, Names& names) {
  trace::CallReader reader(trace, of, rank);
  while (const trace::CallInstance* call = reader.next()) {
    const int name = call->function->word_of("filename");
    if (name < 0) continue;
    const auto index = static_cast<std::size_t>(call->words[static_cast<std::size_t>(name)]);
    const std::string& text = reader.program().texts[index];
    const int amode = call->function->word_of("amode"); // none of MPI_File_delete
    const std::int64_t mode = amode < 0 ? 0 : call->words[static_cast<std::size_t>(amode)];
    if ((mode & kCreate) == 0) names.expected.insert(text);
    if ((mode & kExclusive) != 0) names.refused.insert(text);
  }
}

} // namespace

std::string make_input_files(const trace::Trace& trace,
                             const std::function<std::string(const std::string&)>& name_of) {
  Names names;
  for (const trace::RankClass& of : trace.classes) {
    if (!uses_files(*of.program)) continue;
    for (const std::int64_t rank : of.ranks.ranks()) add(trace, of, rank, names);
  }
  for (const std::string& name : names.expected) {
    if (names.refused.contains(name)) continue;
    const std::string file = name_of(name);
    const int descriptor = ::open(file.c_str(), O_CREAT | O_RDWR, 0600);
    const bool is_made = descriptor >= 0 && ::ftruncate(descriptor, kBytes) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!is_made) return file + ": " + std::strerror(error);
  }
  return "";
}

} // namespace rondo::generate
