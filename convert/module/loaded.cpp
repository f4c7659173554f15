// SPDX-License-Identifier: Apache-2.0
// The program's side: the functions of the headers, by way of the module, which is loaded when the
// first of them is called and stays.
#include "base/own_modules.hpp"
#include "convert/module/doors.hpp"
#include "convert/own_kinds.hpp"
#include "rondo/convert/readers.hpp"

#include <utility>

namespace rondo::convert {
namespace {

constexpr rondo::internal::OwnModule kReaders{
    "librondo_convert.so", RONDO_NAME_OF_DOOR(RONDO_CONVERT_DOOR), "formats of other tools",
    "libraries (libotf2, libprotobuf, libarchive)"};

Result<const internal::Doors*> load() {
  const auto door = rondo::internal::load_module(kReaders);
  if (!door) return propagate(door);
  return reinterpret_cast<internal::OpenDoors*>(*door)(rondo::internal::shared_state());
}

const Result<const internal::Doors*>& doors() {
  static const Result<const internal::Doors*> loaded = load();
  return loaded;
}

template <class Answer, class... Arguments, class... Given>
Answer through(Answer (*internal::Doors::*door)(Arguments...), Given&&... given) {
  if (!doors()) return propagate(doors());
  return ((*doors())->*door)(std::forward<Given>(given)...);
}

Result<InputKind> without_readers(const std::string& path) {
  if (path.ends_with(".rondo")) return InputKind::kRondo; // its reader says what is wrong with it
  Error error = doors().error();
  if (error.place.file.empty())
    error = {error.code, "is no archive of Rondo, and " + error.message, {path, {}, {}, {}}};
  return tl::unexpected<Error>(std::move(error));
}

} // namespace

Status has_readers() { return doors() ? Status() : propagate(doors()); }

Result<InputKind> detect_input(const std::string& path) {
  const auto own = internal::own_kind(path);
  if (!own) return propagate(own);
  if (*own) return **own;
  if (!doors()) return without_readers(path);
  return through(&internal::Doors::detect_input, path);
}

bool has_otf2() { return doors() && (*doors())->has_otf2(); }
bool has_perfetto() { return doors() && (*doors())->has_perfetto(); }

Result<Imported> read_allprof(const std::string& path, const ImportOptions& options) {
  return through(&internal::Doors::read_allprof, path, options);
}
Result<Imported> read_chakra(const std::string& path, const ImportOptions& options) {
  return through(&internal::Doors::read_chakra, path, options);
}
Result<Imported> read_dumpi(const std::string& path, const ImportOptions& options) {
  return through(&internal::Doors::read_dumpi, path, options);
}
Result<Imported> read_goal(const std::string& place, const ImportOptions& options) {
  return through(&internal::Doors::read_goal, place, options);
}
Result<Imported> read_otf2(const std::string& path, const ImportOptions& options) {
  return through(&internal::Doors::read_otf2, path, options);
}
Result<Imported> read_paraver(const std::string& place, const ImportOptions& options) {
  return through(&internal::Doors::read_paraver, place, options);
}
Result<Imported> read_simgrid_ti(const std::string& path, const SimgridTiOptions& options) {
  return through(&internal::Doors::read_simgrid_ti, path, options);
}

std::string to_json(const trace::Trace& trace) {
  return doors() ? (*doors())->to_json(trace) : std::string();
}
Result<std::vector<std::string>> write_dimemas(const trace::Trace& trace, const std::string& path,
                                               bool approximates, Overwrite overwrite) {
  return through(&internal::Doors::write_dimemas, trace, path, approximates, overwrite);
}
Result<std::vector<std::string>> write_goal(const trace::Trace& trace, const std::string& path,
                                            bool approximates, Overwrite overwrite) {
  return through(&internal::Doors::write_goal, trace, path, approximates, overwrite);
}
Result<std::vector<std::string>> write_otf2(const trace::Trace& trace, const std::string& path,
                                            const Otf2OutOptions& options, Overwrite overwrite) {
  return through(&internal::Doors::write_otf2, trace, path, options, overwrite);
}
Result<std::vector<std::string>> write_paraver(const trace::Trace& trace, const std::string& path,
                                               const ParaverOutOptions& options,
                                               Overwrite overwrite) {
  return through(&internal::Doors::write_paraver, trace, path, options, overwrite);
}
Result<SimgridTiWritten> write_simgrid_ti(const trace::Trace& trace, const std::string& folder,
                                          const SimgridTiWriting& options, Overwrite overwrite) {
  return through(&internal::Doors::write_simgrid_ti, trace, folder, options, overwrite);
}
Result<std::vector<std::string>> write_timeline(const trace::Trace& trace, const std::string& path,
                                                const TimelineOptions& options,
                                                Overwrite overwrite) {
  return through(&internal::Doors::write_timeline, trace, path, options, overwrite);
}

} // namespace rondo::convert
