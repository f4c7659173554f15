// SPDX-License-Identifier: Apache-2.0
// check_wildcards FILE: whether resolved wildcards are all gone for which something came, and all
// else is as it was; by call lines, which know nothing of how wildcards are resolved. Says what is
// wrong, status 1; else how many were resolved and how many could not be.
#include "rondo/archive/archive.hpp"
#include "rondo/generate/comparison.hpp"
#include "rondo/generate/wildcards.hpp"
#include "rondo/trace/call_text.hpp"

#include <cstdio>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

using rondo::trace::Trace;

std::vector<std::string> lines_of(const Trace& trace, std::int64_t rank) {
  rondo::trace::CallReader reader(trace, *trace.class_of(rank), rank);
  rondo::trace::CallLineWriter writer(trace, reader);
  std::vector<std::string> lines;
  while (const auto* call = reader.next()) lines.push_back(writer.line(*call));
  return lines;
}

bool asks(const std::string& line) { return line.find("MPI_ANY_") != std::string::npos; }

// The line without its statuses, and without source and tag if they are said not to matter.
std::string rest_of(const std::string& line, bool asked) {
  static const std::regex kStatuses(
      R"((, | -> )(status|array_of_statuses)=(\{[^}]*\}|\[[^\]]*\]))");
  static const std::regex kSource(R"(\b(source|tag|recvtag)=[A-Z_0-9]+)");
  const std::string text = std::regex_replace(line, kStatuses, "");
  return asked ? std::regex_replace(text, kSource, "$1=?") : text;
}

// The requests whose statuses say what came, by the numbers of call lines; of blocking calls the
// line itself.
struct Statuses {
  std::map<std::string, int> of_requests;

  void add(const std::string& line) {
    static const std::regex kRequest(R"(\brequest=(#\d+))");
    static const std::regex kRequests(R"(array_of_requests=\[([^\]]*)\])");
    static const std::regex kIndex(R"(\bindex=(\d+))");
    static const std::regex kIndices(R"(array_of_indices=\[([^\]]*)\])");
    static const std::regex kEntries(R"(array_of_statuses=\[([^\]]*)\])");
    std::smatch found;
    const bool has_one = line.find(" status={") != std::string::npos;
    if (has_one && std::regex_search(line, found, kRequest)) ++of_requests[found[1]];
    if (!std::regex_search(line, found, kRequests)) return;
    const std::vector<std::string> requests = words(found[1]);
    if (has_one && std::regex_search(line, found, kIndex))
      ++of_requests[requests[std::stoul(found[1])]];
    if (!std::regex_search(line, found, kEntries)) return;
    const std::vector<std::string> entries = statuses(found[1]);
    std::vector<std::string> completed = requests;
    if (std::regex_search(line, found, kIndices)) {
      completed.clear();
      for (const std::string& index : words(found[1]))
        completed.push_back(requests[std::stoul(index)]);
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] != "-") ++of_requests[completed[i]];
    }
  }

  static std::vector<std::string> words(const std::string& text) {
    static const std::regex kWord(R"(\S+)");
    return split(text, kWord);
  }
  static std::vector<std::string> statuses(const std::string& text) {
    static const std::regex kStatus(R"(\{[^}]*\}|-)");
    return split(text, kStatus);
  }
  static std::vector<std::string> split(const std::string& text, const std::regex& what) {
    return {std::sregex_token_iterator(text.begin(), text.end(), what), {}};
  }
};

int check_rank(const Trace& before, const Trace& after, std::int64_t rank) {
  const auto old_lines = lines_of(before, rank);
  const auto new_lines = lines_of(after, rank);
  int wrong = 0;
  const auto complain = [&](const char* what, std::size_t i) {
    if (++wrong < 4)
      std::printf("rank %ld, call %zu: %s\n  before %s\n  after  %s\n", static_cast<long>(rank), i,
                  what, old_lines[i].c_str(), new_lines[i].c_str());
  };
  if (old_lines.size() != new_lines.size()) {
    std::printf("rank %ld: %zu calls became %zu\n", static_cast<long>(rank), old_lines.size(),
                new_lines.size());
    return 1;
  }
  Statuses statuses;
  for (const std::string& line : old_lines) statuses.add(line);
  static const std::regex kMade(R"(-> request=(#\d+)$)");
  for (std::size_t i = 0; i < old_lines.size(); ++i) {
    const bool asked = asks(old_lines[i]);
    if (rest_of(old_lines[i], asked) != rest_of(new_lines[i], asked)) complain("changed", i);
    std::smatch made;
    const bool answered =
        old_lines[i].find(" status={") != std::string::npos ||
        (std::regex_search(old_lines[i], made, kMade) && statuses.of_requests.count(made[1]) > 0);
    const bool is_persistent = old_lines[i].find("_init(") != std::string::npos;
    if (asks(new_lines[i]) && (answered && !is_persistent)) complain("still asks", i);
    if (asked && !asks(new_lines[i]) && !answered) complain("nobody knows what came", i);
  }
  return wrong;
}

} // namespace

int main(int argc, char** argv) {
  const auto trace = rondo::archive::read(argc > 1 ? argv[1] : "");
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().text().c_str());
    return 2;
  }
  const auto result = rondo::generate::resolve_wildcards(*trace);
  int wrong = 0;
  for (std::int64_t rank = 0; rank < trace->run.ranks; ++rank)
    wrong += check_rank(*trace, result.trace, rank);
  if (!rondo::generate::compare(*trace, result.trace).same()) {
    std::puts("compare() finds a difference");
    ++wrong;
  }
  std::printf("resolved %llu unanswered %llu differing %llu\n",
              static_cast<unsigned long long>(result.resolved),
              static_cast<unsigned long long>(result.unanswered),
              static_cast<unsigned long long>(result.differing));
  return wrong == 0 ? 0 : 1;
}
