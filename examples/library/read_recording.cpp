// SPDX-License-Identifier: Apache-2.0
// What the library says of a recording, a line for each question: read_recording app.rondo
#include <rondo/rondo.hpp>

#include <cstdint>
#include <iostream>
#include <map>
#include <string_view>

namespace {

// Every call of a rank; nothing is expanded in memory.
void print_calls(const rondo::trace::Trace& trace, std::int64_t rank) {
  std::map<std::string_view, std::uint64_t> calls;
  rondo::trace::CallReader reader(trace, *trace.class_of(rank), rank);
  while (const auto* call = reader.next()) ++calls[call->function->name];
  for (const auto& [name, times] : calls)
    std::cout << "rank " << rank << "  " << name << ' ' << times << '\n';
}

void print_patterns(const rondo::trace::Trace& trace) {
  const auto found = rondo::patterns::process_patterns(trace, {});
  const auto groups =
      rondo::patterns::ranked(rondo::patterns::groups_of(found), rondo::patterns::RankBy::kTraffic);
  if (!groups.empty())
    std::cout << "again and again  " << word_text(found, groups.front(), 8) << '\n';
}

} // namespace

int main(int argc, char** argv) {
  const auto trace = rondo::archive::read(argc == 2 ? argv[1] : "");
  if (!trace) {
    std::cerr << trace.error().text() << '\n';
    return 2;
  }
  std::cout << "ranks  " << trace->run.ranks << '\n';
  print_calls(*trace, 0);
  if (const auto sent = rondo::matrix::matrix_of(*trace))
    std::cout << "topology  " << title(rondo::topology::recognize(sent->matrix, {})) << '\n';
  std::cout << "measured seconds  " << rondo::matrix::seconds_of(*trace) << '\n';
  const auto logical = rondo::logical::logicalize_for_text(*trace);
  std::cout << logical_text(rondo::logical::text_of(logical, nullptr));
  print_patterns(*trace);
  std::cout << "load balance  " << rondo::efficiency::factors_of(*trace).load_balance << '\n';
  const auto network = rondo::simulate::parse_network("latency=5us,bandwidth=1GB/s");
  if (const auto run = rondo::simulate::simulate(*trace, *network))
    std::cout << "elsewhere  " << run->messages << " messages, " << run->seconds << " s\n";
  return 0;
}
