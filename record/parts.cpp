// SPDX-License-Identifier: Apache-2.0
#include "record/parts.hpp"

#include "rondo/base/files.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <unistd.h>

namespace rondo::record {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// All ranks of a job must say the same, jobs that share an output should not; so launchers are
// asked in turn. `rondo record` gives each run a name of its own.
std::string name_of_run() {
  std::string name = variable("RONDO_RUN");
  for (const char* job : {"PMIX_NAMESPACE", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    const std::string value = variable(job);
    if (value.empty()) continue;
    name += (name.empty() ? "" : "-") + value;
    if (job == std::string_view("SLURM_JOB_ID")) name += "-" + variable("SLURM_STEP_ID");
    break;
  }
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) name += "-spawned" + std::to_string(::getppid());
  if (name.empty()) name = "run";
  for (char& c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (!fits) c = '_';
  }
  return name;
}

} // namespace

Parts::Parts(const std::string& output, std::int64_t rank)
    : folder_(archive::parts_folder(output)), name_{name_of_run(), rank, 0} {}

archive::PartName Parts::name(std::uint32_t chunk) const { return {name_.run, name_.rank, chunk}; }

// A run before this one may have left parts of the same name: they are not ours to overwrite.
void Parts::choose_run() {
  const std::string base = name_.run;
  for (int i = 2; ::access((folder_ + "/" + name(0).file()).c_str(), F_OK) == 0; ++i)
    name_.run = base + "-" + std::to_string(i);
  is_named_ = true;
}

bool Parts::write(std::string_view encoded, std::uint64_t calls) {
  if (!is_named_) choose_run();
  const auto written = archive::write_part(folder_, name_, encoded);
  trouble_ = written ? "" : written.error().text();
  if (written) calls_on_disk_ = calls;
  return written.has_value();
}

std::string Parts::read(std::uint32_t chunk) const {
  return read_file(folder_ + "/" + name(chunk).file()).value_or("");
}

bool Parts::has(const std::string& file) const {
  return ::access((folder_ + "/" + file).c_str(), R_OK) == 0;
}

bool Parts::write_for(const archive::PartName& name, std::string_view bytes) const {
  const auto written = archive::write_part_file(folder_, name, bytes);
  if (!written) std::fprintf(stderr, "rondo: %s\n", written.error().text().c_str());
  return written.has_value();
}

void Parts::remove() {
  if (!is_named_) return;
  for (std::uint32_t chunk = 0; chunk <= name_.chunk; ++chunk)
    archive::remove_part(folder_, name(chunk));
}

void Parts::remove_folder() const { ::rmdir(folder_.c_str()); }

} // namespace rondo::record
