// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.hpp"
#include "cli/memory_limit.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/unfinished_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace rondo::cli {
namespace {

// Arguments that are files, for messages of what has no better place.
std::string files_in(const std::vector<std::string>& arguments) {
  std::string files;
  for (const std::string& argument : arguments) {
    if (::access(argument.c_str(), F_OK) == 0) files += (files.empty() ? "" : ", ") + argument;
  }
  return files.empty() ? "" : files + ": ";
}

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory_text();
  } catch (const std::length_error&) { // of a container: more than any machine has
    return out_of_memory_text();
  } catch (const std::exception& error) {
    return std::string("stops, which it should not: ") + error.what() +
           "; please report it with the file";
  } catch (...) {
    return "stops, which it should not; please report it with the file";
  }
}

// Where no handler stands: in threads, and in functions that promise to throw nothing.
[[noreturn]] void end_told() {
  const std::string what = std::current_exception() ? text_of_exception() : "stops unexpectedly";
  std::fprintf(stderr, "rondo: %s\n", what.c_str());
  rondo::remove_unfinished_files();
  ::_exit(kBadInput);
}

int complain_of_output(int error) {
  return complain(std::string("standard output: cannot write") +
                  (error == 0 ? "" : std::string(": ") + std::strerror(error)));
}

// What is still in the buffer may not go out, as where the disk is full: half an answer is none.
int after_output(int status) {
  const bool was_lost = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) != 0 || was_lost) return complain_of_output(errno);
  return status;
}

int run(CommandLine& line) {
  const std::vector<std::string>& arguments = line.arguments();
  int status = kBadInput;
  try {
    status = line.run();
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return complain_of_output(error.code().value());
    return complain(files_in(arguments) + text_of_exception());
  } catch (...) {
    return complain(files_in(arguments) + text_of_exception());
  }
  status = after_output(status);
  if (!has_a_file_shrunk()) return status;
  return complain(files_in(arguments) +
                  "was cut while it was read: what is printed is wrong; try again when nothing "
                  "writes to it");
}

} // namespace
} // namespace rondo::cli

int main(int argc, char** argv) {
  using namespace rondo::cli;
  std::set_terminate(end_told);
  CommandLine line;
  if (const auto status = line.parse({argv + std::min(argc, 1), argv + argc})) return *status;
  limit_memory();
  rondo::survive_shrinking_files();
  rondo::take_away_unfinished_files();
  return run(line);
}
