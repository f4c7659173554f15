// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/trace/call_text.hpp"

#include <cstdio>

namespace rondo::cli {
namespace {

struct PrintOptions {
  std::string file;
  std::int64_t rank = 0;
  bool flat = false;
};

int print(const PrintOptions& options) {
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  const trace::RankClass* c = trace->class_of(options.rank);
  if (c == nullptr) return complain("no such rank");
  trace::CallReader reader(*trace, *c, options.rank);
  trace::CallLineWriter writer(*trace, reader);
  while (const trace::CallInstance* call = reader.next()) std::puts(writer.line(*call).c_str());
  return kDone;
}

} // namespace

void add_print(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PrintOptions>();
  CLI::App* command = app.add_subcommand("print", "The trace as text");
  command->add_option("trace", options->file, "A .rondo archive")->required();
  command->add_option("--rank", options->rank, "Rank");
  command->add_flag("--flat", options->flat, "Every call");
  command->callback([options, &chosen] { chosen.run = [options] { return print(*options); }; });
}

} // namespace rondo::cli
