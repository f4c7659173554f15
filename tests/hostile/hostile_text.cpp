// SPDX-License-Identifier: Apache-2.0
// Makes what hostile_test.py reads:
//   hostile_text words                  reads lines "FUNCTION HEX", writes what rondo::escape makes
//   of
//                                       each text, in hexadecimal
//   hostile_text archive IN OUT HEX     a recording in which every string is the text
//   hostile_text chosen IN OUT HEX      the same, also what was chosen to be recorded
#include "rondo/archive/archive.hpp"
#include "rondo/base/escape.hpp"

#include <functional>
#include <iostream>
#include <map>

namespace {

using namespace rondo;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string to_hex(const std::string& bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    digits += kDigits[static_cast<unsigned char>(c) >> 4];
    digits += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return digits;
}

int words() {
  const std::map<std::string, std::function<std::string(std::string_view)>> functions{
      {"terminal", escape::terminal},
      {"quoted", escape::quoted},
      {"c_string", escape::c_string},
      {"c_comment", escape::c_comment},
      {"python_string", escape::python_string},
      {"python_comment", escape::python_comment},
      {"makefile", escape::makefile},
      {"shell", escape::shell},
      {"xml", escape::xml},
      {"dot", escape::dot},
      {"csv", escape::csv},
      {"markdown", escape::markdown}};
  for (std::string name, digits; std::cin >> name && std::getline(std::cin >> std::ws, digits);)
    std::cout << to_hex(functions.at(name)(from_hex(digits))) << '\n';
  return 0;
}

// Strings that the model tells apart stay different.
void rename(trace::Trace& trace, const std::string& text, bool with_choice) {
  trace.run.command = trace.run.mpi = trace.run.recorder = trace.run.notes = text;
  if (with_choice) trace.run.choice = text;
  int number = 0;
  const auto next = [&] { return std::to_string(number++) + text; };
  for (trace::Host& host : trace.hosts) host.name = next();
  for (trace::DatatypeDefinition& type : trace.datatypes) type.name = next();
  for (trace::Module& module : trace.modules) module.path = next();
  for (trace::CallSite& site : trace.sites) { // each other one is named by another tool
    site.offset = number % 2 == 0 ? 0 : 16;
    site.module = site.offset == 0 ? next() + ":12" : next();
  }
  trace.names.assign(trace.sites.size(), {}); // each third one has a name of its own
  for (std::size_t i = 0; i < trace.names.size(); i += 3)
    trace.names[i] = {next(), next(), next(), 7, 0};
  for (auto& program : trace.programs) {
    trace::MergedProgram changed = *program;
    for (std::string& one : changed.texts) one = next();
    program = std::make_shared<const trace::MergedProgram>(std::move(changed));
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "words") return words();
  if (arguments.size() != 4) return 2;
  auto trace = archive::read(arguments[1]);
  if (!trace) return 2;
  rename(*trace, from_hex(arguments[3]), arguments[0] == "chosen");
  return archive::write(*trace, arguments[2], Overwrite::kReplace) ? 0 : 2;
}
