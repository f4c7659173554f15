// SPDX-License-Identifier: Apache-2.0
// rondo._rondo: what the Python package needs of C++. Answers are those of the commands, as their
// --json text; arrays are views of what C++ holds.
#include "cli/command_line.hpp"
#include "cli/open_trace.hpp"
#include "cli/session.hpp"
#include "cli/version.hpp"
#include "present/site_json.hpp"
#include "python/call_rows.hpp"
#include "python/interruptible.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/functions.hpp"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace rondo::python {
namespace {

struct Opened {
  std::string path;
  std::shared_ptr<const trace::Trace> trace;
};

struct Answer {
  int status = 0;
  std::string text;
  std::vector<std::string> remarks;
};

struct Sent { // a matrix, of which arrays are views
  matrix::CommunicationMatrix matrix;
  std::vector<std::string> remarks;
};

constexpr const char* kClasses[] = {"UsageError",        "NotFoundError",   "ExistsError",
                                    "IoError",           "FormatError",     "DamagedError",
                                    "NewerVersionError", "UnsupportedError"};

// A class for each code, all of which rondo/_errors.py defines.
[[noreturn]] void raise(const Error& error) {
  const char* name = kClasses[static_cast<int>(error.code)];
  const py::object type = py::module_::import("rondo._errors").attr(name);
  const py::object exception = type(error.text());
  const auto optional = [](const auto& value) -> py::object {
    return value ? py::object(py::int_(*value)) : py::none();
  };
  exception.attr("file") =
      error.place.file.empty() ? py::object(py::none()) : py::object(py::str(error.place.file));
  exception.attr("rank") = optional(error.place.rank);
  exception.attr("offset") = optional(error.place.offset);
  exception.attr("line") = optional(error.place.line);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

// --limit is for one command, or one opening.
struct LimitOfNow {
  double before = limit_factor();
  LimitOfNow() = default;
  LimitOfNow(const LimitOfNow&) = delete;
  LimitOfNow& operator=(const LimitOfNow&) = delete;
  ~LimitOfNow() { set_limit_factor(before); }
};

// Settings of a command (--limit, --resolve) are the process's: one command at a time.
std::mutex& one_at_a_time() {
  static auto* const mutex = new std::mutex; // threads that nobody waits for may outlive statics
  return *mutex;
}

Answer command(const std::vector<Opened>& opened, const std::vector<std::string>& words) {
  struct Outcome {
    Answer answer;
    std::optional<Error> error;
  };
  const auto outcome = std::make_shared<Outcome>();
  run_interruptible([outcome, opened, words](const std::atomic<bool>& stop) {
    const std::lock_guard alone(one_at_a_time());
    if (stop) return;
    const LimitOfNow limit;
    cli::Session session;
    session.stop = &stop;
    for (const Opened& each : opened) session.offer(each.path, *each.trace);
    cli::CommandLine line;
    const auto ended = line.parse(words);
    outcome->answer.status = ended ? *ended : line.run();
    outcome->answer.text = std::move(session.out);
    outcome->answer.remarks = std::move(session.remarks);
    outcome->error = std::move(session.error);
  });
  if (outcome->error) raise(*outcome->error);
  return std::move(outcome->answer);
}

std::pair<Opened, std::vector<std::string>> open(const std::string& path,
                                                 const std::string& limit) {
  const Result<double> factor = limit.empty() ? limit_factor() : parse_limit_factor(limit);
  if (!factor) raise(factor.error());
  struct Read {
    std::optional<Result<trace::Trace>> trace;
    std::vector<std::string> remarks;
  };
  const auto read = std::make_shared<Read>();
  run_interruptible([read, path, factor = *factor](const std::atomic<bool>& stop) {
    const std::lock_guard alone(one_at_a_time());
    const LimitOfNow limited;
    set_limit_factor(factor);
    cli::Session session;
    session.stop = &stop;
    read->trace.emplace(cli::open_trace(path));
    read->remarks = std::move(session.remarks);
  });
  if (!*read->trace) raise(read->trace->error());
  auto trace = std::make_shared<const trace::Trace>(std::move(**read->trace));
  return {Opened{path, std::move(trace)}, std::move(read->remarks)};
}

std::shared_ptr<Sent> sent(const Opened& opened, const std::string& collectives) {
  const auto counting = matrix::parse_collective_counting(collectives);
  if (!counting) raise(counting.error());
  const auto made = std::make_shared<std::optional<Result<matrix::TraceMatrix>>>();
  run_interruptible([made, opened, how = *counting](const std::atomic<bool>&) {
    matrix::TrafficOptions options;
    options.collectives = how;
    made->emplace(matrix::matrix_of(*opened.trace, options));
  });
  Result<matrix::TraceMatrix>& traffic = **made;
  if (!traffic) raise({traffic.error().code, traffic.error().message, {opened.path, {}, {}, {}}});
  return std::make_shared<Sent>(Sent{std::move(traffic->matrix), traffic->loss.sentences()});
}

// All call sites by their numbers, as JSON, and remarks.
std::pair<py::bytes, std::vector<std::string>> sites_of(const Opened& opened) {
  const auto said = std::make_shared<std::pair<std::string, std::vector<std::string>>>();
  run_interruptible([said, opened](const std::atomic<bool>& stop) {
    const std::lock_guard alone(one_at_a_time());
    sites::Resolver resolver(*opened.trace);
    nlohmann::json all = nlohmann::json::array();
    for (std::uint32_t site = 0; site < opened.trace->sites.size() && !stop; ++site)
      all.push_back(present::site_json(resolver, site));
    *said = {all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
             resolver.remarks()};
  });
  return {py::bytes(said->first), said->second};
}

std::shared_ptr<Sent> sent_in_file(const std::string& path) {
  const auto read = std::make_shared<std::optional<Result<matrix::CommunicationMatrix>>>();
  run_interruptible(
      [read, path](const std::atomic<bool>&) { read->emplace(matrix::read_matrix(path)); });
  if (!**read) raise((*read)->error());
  return std::make_shared<Sent>(Sent{std::move(***read), {}});
}

py::dtype row_type(const std::vector<ColumnFormat>& columns) {
  py::list fields;
  for (const ColumnFormat& c : columns)
    fields.append(py::make_tuple(std::string(c.name), std::string(c.format)));
  return py::dtype::from_args(fields);
}

// Rows that are read before anybody looks whether Ctrl-C was pressed: some hundredths of a second.
constexpr std::size_t kRowsAtOnce = 1 << 20;

// The next rows as a structured array; None at the end. Threads that share an iterator take turns.
py::object next_rows(CallRows& rows, std::size_t most) {
  std::unique_lock alone(rows.mutex(), std::defer_lock);
  {
    const py::gil_scoped_release others_run;
    alone.lock();
  }
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rows.left(), most));
  if (size == 0) return py::none();
  py::array array(row_type(rows.columns()), static_cast<py::ssize_t>(size));
  auto* bytes = static_cast<std::byte*>(array.mutable_data());
  std::size_t filled = 0;
  while (filled < size) {
    std::size_t more = 0;
    {
      const py::gil_scoped_release others_run;
      more = rows.fill(bytes + filled * rows.row_size(), std::min(size - filled, kRowsAtOnce));
    }
    if (more == 0) break;
    filled += more;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  if (filled == size) return array;
  return array[py::slice(0, static_cast<py::ssize_t>(filled), 1)];
}

// A view: the array keeps the matrix alive.
py::array entries_of(const std::shared_ptr<Sent>& self) {
  const auto entries = self->matrix.entries();
  py::list fields;
  for (const char* name : {"source", "destination"}) fields.append(py::make_tuple(name, "i8"));
  for (const char* name : {"messages", "bytes"}) fields.append(py::make_tuple(name, "u8"));
  py::array view(py::dtype::from_args(fields), {static_cast<py::ssize_t>(entries.size())},
                 {static_cast<py::ssize_t>(sizeof(matrix::MatrixEntry))}, entries.data(),
                 py::cast(self));
  view.attr("flags").attr("writeable") = false; // the matrix is not changed
  return view;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const trace::Function& function : trace::all_functions()) {
    if (function.id >= names.size()) names.resize(function.id + 1u);
    names[function.id] = function.name;
  }
  return names;
}

std::unique_ptr<CallRows> calls_of(const Opened& opened, std::int64_t rank, std::uint32_t thread,
                                   std::vector<std::string> columns) {
  if (columns.empty()) {
    const bool has_times = opened.trace->stamps_of(rank, thread) != nullptr;
    for (const ColumnFormat& c : all_columns())
      if (has_times || c.column < Column::kStart) columns.emplace_back(c.name);
  }
  auto rows = CallRows::open(opened.trace, rank, thread, columns);
  if (!rows) raise({rows.error().code, rows.error().message, {opened.path, {}, {}, {}}});
  return std::move(*rows);
}

} // namespace

PYBIND11_MODULE(_rondo, m) {
  static_assert(sizeof(matrix::MatrixEntry) == 32, "entries_of() says how an entry lies in memory");
  py::class_<Opened>(m, "Opened")
      .def_readonly("path", &Opened::path)
      .def_property_readonly("ranks", [](const Opened& self) { return self.trace->run.ranks; })
      .def_property_readonly("threads",
                             [](const Opened& self) {
                               std::vector<std::pair<std::int64_t, std::uint32_t>> streams;
                               for (const trace::RankClass& c : self.trace->classes)
                                 for (const std::int64_t rank : c.ranks.ranks())
                                   streams.emplace_back(rank, c.thread);
                               return streams;
                             })
      .def_property_readonly("has_all_times",
                             [](const Opened& self) { return !self.trace->stamps.empty(); })
      .def("sites", &sites_of)
      .def("sent", &sent, py::arg("collectives"))
      .def("calls", &calls_of, py::arg("rank"), py::arg("thread"), py::arg("columns"));
  py::class_<Sent, std::shared_ptr<Sent>>(m, "Sent")
      .def_property_readonly("entries", &entries_of)
      .def_property_readonly("ranks", [](const Sent& self) { return self.matrix.ranks(); })
      .def_readonly("remarks", &Sent::remarks);
  py::class_<CallRows>(m, "CallRows")
      .def("next", &next_rows, py::arg("most"))
      .def_property_readonly("left", &CallRows::left)
      .def_property_readonly("timed", &CallRows::timed)
      .def_property_readonly("dtype",
                             [](const CallRows& self) { return row_type(self.columns()); });
  m.def("open", &open, py::arg("path"), py::arg("limit"));
  m.def("sent_in_file", &sent_in_file, py::arg("path"));
  m.def(
      "command",
      [](const std::vector<Opened>& opened, const std::vector<std::string>& words) {
        Answer answer = command(opened, words);
        return py::make_tuple(answer.status, py::bytes(answer.text), std::move(answer.remarks));
      },
      py::arg("opened"), py::arg("words"));
  m.def("function_names", &function_names);
  m.attr("version") = cli::version();
  m.attr("commit") = cli::commit();
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_abandoned_work));
}

} // namespace rondo::python
