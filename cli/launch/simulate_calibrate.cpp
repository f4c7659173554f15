// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/simulate_calibrate.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/own_files.hpp"
#include "cli/launch/program.hpp"
#include "cli/launch/scratch_folder.hpp"
#include "present/time/prediction.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/simulate/calibration.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;
using simulate::Calibration;
using simulate::Measurement;

const char* kind_name(Measurement::Kind kind) {
  if (kind == Measurement::Kind::kRound) return "round";
  return kind == Measurement::Kind::kTrain ? "train" : "delayed";
}

nlohmann::json calibration_json(const Calibration& calibration) {
  nlohmann::json samples = nlohmann::json::array();
  for (const simulate::Fitted& each : calibration.samples) {
    samples.push_back({{"kind", kind_name(each.measured.kind)},
                       {"messages", each.measured.messages},
                       {"delay_seconds", each.measured.delay_s},
                       {"bytes", each.measured.bytes},
                       {"measured_seconds", each.measured.seconds},
                       {"modelled_seconds", each.seconds}});
  }
  return {{"schema", 1},
          {"network", present::network_json(calibration.model)},
          {"rms_relative_error", calibration.rms},
          {"largest_relative_error", calibration.most},
          {"remarks", calibration.remarks},
          {"samples", std::move(samples)}};
}

// Where rank 0 writes: beside the output, which the ranks are likely to see.
fs::path stem_of_samples(const std::string& output) {
  std::error_code error;
  return output.empty() || output == "-" ? fs::temp_directory_path(error) / "rondo-calibration"
                                         : fs::absolute(output, error);
}

Result<Calibration> measured(const CalibrateOptions& options, int& status) {
  const auto mpi = find_launchers_mpi(options.command, options.mpi);
  if (!mpi) return propagate(mpi);
  const auto program = own_file(fmt::format("rondo_calibrate_{}", keyword_of(*mpi)),
                                "program that measures networks", *mpi);
  if (!program) return propagate(program);
  const ScratchFolder folder(stem_of_samples(options.output));
  if (folder.error() != 0) {
    return fail(ErrorCode::kIo,
                "cannot make a folder for what is measured; name an output in a "
                "folder that can be written to, with -o",
                {folder.path(), {}, {}, {}});
  }
  const std::string path = folder.path() + "/samples";
  std::vector<std::string> command = options.command;
  command.insert(command.end(), {program->string(), path});
  status = launch(command, new_run_name());
  const auto text = status == 0 ? read_file(path) : Result<std::string>("");
  if (status != 0) {
    return fail(ErrorCode::kUsage, fmt::format("measuring ended with status {}; the command is a "
                                               "launcher for 2 ranks: -- mpirun -n 2",
                                               status));
  }
  if (!text) return propagate(text);
  const auto measurements = simulate::parse_measurements(*text, path);
  if (!measurements) return propagate(measurements);
  return simulate::fit_loggp(*measurements);
}

} // namespace

int calibrate(const CalibrateOptions& options) {
  const Overwrite overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  if (!options.output.empty()) {
    if (auto ready = check_output(options.output, overwrite); !ready)
      return complain(ready.error());
  }
  int status = 0;
  const auto calibration = measured(options, status);
  if (!calibration) return complain(calibration.error());
  warn(options.output.empty() ? "calibration" : options.output, calibration->remarks);
  std::string what;
  for (const std::string& word : options.command) what += (what.empty() ? "" : " ") + word;
  const std::string text = network_file(*calibration, what);
  if (!options.output.empty()) {
    if (auto written = write_file(options.output, text, overwrite); !written)
      return complain(written.error());
  }
  if (options.json) return put(escape::json_text(calibration_json(*calibration)) + "\n");
  if (options.output.empty()) return put(text);
  return put(fmt::format("{}\noff the measured rounds by {:.1f} % (rms), at most {:.1f} %\n",
                         calibration->model.text(), 100 * calibration->rms,
                         100 * calibration->most));
}

} // namespace rondo::cli
