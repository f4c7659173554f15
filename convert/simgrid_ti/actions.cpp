// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/actions.hpp"

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>

namespace rondo::convert::internal {
namespace {

using trace::FieldKind;
using trace::Function;

struct Row {
  std::string_view action;
  ActionKind kind;
  std::string_view function;
  /// Names of the function's fields in the order of the line; `?` marks what may be missing. `-` is
  /// a number that says nothing new, `flops` computation inside the call, `types` both datatypes at
  /// once.
  std::string_view arguments;
};

// SimGrid writes a vector call in several forms: with the sizes of buffers or without, and with the
// counts only on the root. Of the forms that a line's length fits, the first is meant.
constexpr std::array kRows = {
    Row{"init", ActionKind::kInit, mpi::Init, "[1]"},
    Row{"finalize", ActionKind::kFinalize, mpi::Finalize, ""},
    Row{"compute", ActionKind::kCompute, "", "flops"},
    Row{"sleep", ActionKind::kSleep, "", "seconds"},
    Row{"location", ActionKind::kLocation, "", "file line"},
    Row{"comm_size", ActionKind::kPassedOver, "", ""},
    Row{"comm_rank", ActionKind::kPassedOver, "", ""},
    Row{"comm_split", ActionKind::kCall, mpi::Comm_split, "-? -?"},
    Row{"comm_dup", ActionKind::kCall, mpi::Comm_dup, "-?"},
    Row{"send", ActionKind::kCall, mpi::Send, "dest tag count datatype?"},
    Row{"ssend", ActionKind::kCall, mpi::Ssend, "dest tag count datatype?"},
    Row{"bsend", ActionKind::kCall, mpi::Bsend, "dest tag count datatype?"},
    Row{"isend", ActionKind::kCall, mpi::Isend, "dest tag count datatype?"},
    Row{"issend", ActionKind::kCall, mpi::Issend, "dest tag count datatype?"},
    Row{"ibsend", ActionKind::kCall, mpi::Ibsend, "dest tag count datatype?"},
    Row{"recv", ActionKind::kCall, mpi::Recv, "source tag count datatype?"},
    Row{"irecv", ActionKind::kCall, mpi::Irecv, "source tag count datatype?"},
    Row{"sendrecv", ActionKind::kCall, mpi::Sendrecv,
        "sendcount dest recvcount source sendtype? recvtype?"},
    Row{"wait", ActionKind::kWait, mpi::Wait, "source dest tag"},
    Row{"test", ActionKind::kTest, mpi::Test, "source dest tag"},
    Row{"waitall", ActionKind::kWaitall, mpi::Waitall, "count"},
    Row{"barrier", ActionKind::kCall, mpi::Barrier, ""},
    Row{"bcast", ActionKind::kCall, mpi::Bcast, "count root? datatype?"},
    Row{"reduce", ActionKind::kCall, mpi::Reduce, "count flops root? datatype?"},
    Row{"allreduce", ActionKind::kCall, mpi::Allreduce, "count flops datatype?"},
    Row{"scan", ActionKind::kCall, mpi::Scan, "count datatype?"},
    Row{"exscan", ActionKind::kCall, mpi::Exscan, "count datatype?"},
    Row{"scan", ActionKind::kCall, mpi::Scan, "count flops datatype"},
    Row{"exscan", ActionKind::kCall, mpi::Exscan, "count flops datatype"},
    Row{"reducescatter", ActionKind::kCall, mpi::Reduce_scatter, "recvcounts flops datatype?"},
    Row{"reducescatter", ActionKind::kCall, mpi::Reduce_scatter, "- recvcounts flops datatype"},
    Row{"alltoall", ActionKind::kCall, mpi::Alltoall, "sendcount recvcount sendtype? recvtype?"},
    Row{"alltoallv", ActionKind::kCall, mpi::Alltoallv,
        "- sendcounts - recvcounts sendtype? recvtype?"},
    Row{"gather", ActionKind::kCall, mpi::Gather, "sendcount recvcount root? sendtype? recvtype?"},
    Row{"scatter", ActionKind::kCall, mpi::Scatter,
        "sendcount recvcount root? sendtype? recvtype?"},
    Row{"allgather", ActionKind::kCall, mpi::Allgather, "sendcount recvcount sendtype? recvtype?"},
    Row{"gatherv", ActionKind::kCall, mpi::Gatherv, "sendcount recvcounts root sendtype recvtype"},
    Row{"gatherv", ActionKind::kCall, mpi::Gatherv,
        "sendcount - recvcounts root sendtype recvtype"},
    Row{"gatherv", ActionKind::kCall, mpi::Gatherv, "sendcount root sendtype recvtype"},
    Row{"gatherv", ActionKind::kCall, mpi::Gatherv, "sendcount - root sendtype recvtype"},
    Row{"gatherv", ActionKind::kCall, mpi::Gatherv, "sendcount recvcounts root? sendtype?"},
    Row{"scatterv", ActionKind::kCall, mpi::Scatterv,
        "sendcounts recvcount root sendtype recvtype"},
    Row{"scatterv", ActionKind::kCall, mpi::Scatterv,
        "- sendcounts recvcount root sendtype recvtype"},
    Row{"scatterv", ActionKind::kCall, mpi::Scatterv, "recvcount root sendtype recvtype"},
    Row{"scatterv", ActionKind::kCall, mpi::Scatterv, "- recvcount root sendtype recvtype"},
    Row{"scatterv", ActionKind::kCall, mpi::Scatterv, "sendcounts recvcount root? sendtype?"},
    Row{"allgatherv", ActionKind::kCall, mpi::Allgatherv, "sendcount recvcounts sendtype recvtype"},
    Row{"allgatherv", ActionKind::kCall, mpi::Allgatherv,
        "sendcount - recvcounts sendtype recvtype"},
    Row{"allgatherv", ActionKind::kCall, mpi::Allgatherv, "sendcount recvcounts types?"},
    Row{"allgatherv", ActionKind::kCall, mpi::Allgatherv, "sendcount recvcounts types displs"},
    Row{"allgatherv", ActionKind::kCall, mpi::Allgatherv, "sendcount recvcounts displs"},
    Row{"waitany", ActionKind::kUnreadable, "", ""},
    Row{"waitsome", ActionKind::kUnreadable, "", ""},
    Row{"testany", ActionKind::kUnreadable, "", ""},
    Row{"testall", ActionKind::kUnreadable, "", ""},
    Row{"testsome", ActionKind::kUnreadable, "", ""},
    Row{"start", ActionKind::kUnreadable, "", ""},
    Row{"startall", ActionKind::kUnreadable, "", ""},
};

Argument argument_of(const Function& function, std::string_view name) {
  Argument argument;
  argument.is_optional = name.back() == '?';
  if (argument.is_optional) name.remove_suffix(1);
  argument.name = name;
  if (name == "-") return argument;
  if (name == "flops") {
    argument.kind = Argument::Kind::kFlops;
    return argument;
  }
  const bool is_both = name == "types";
  const std::string_view field_name = is_both ? "sendtype" : name;
  argument.word = static_cast<std::size_t>(function.word_of(field_name));
  const auto field = std::find_if(function.fields.begin(), function.fields.end(),
                                  [&](const trace::Field& f) { return f.name == field_name; });
  switch (field->kind) {
  case FieldKind::kTag:
    argument.kind = Argument::Kind::kTag;
    break;
  case FieldKind::kRank:
    argument.kind = Argument::Kind::kRank;
    break;
  case FieldKind::kRoot:
    argument.kind = Argument::Kind::kRoot;
    break;
  case FieldKind::kDatatype:
    argument.kind = is_both ? Argument::Kind::kDatatypes : Argument::Kind::kDatatype;
    break;
  default:
    argument.kind = field->is_array ? Argument::Kind::kCounts : Argument::Kind::kCount;
    break;
  }
  return argument;
}

std::vector<std::int64_t> event_of_world(const Function& function) {
  std::vector<std::int64_t> event = {fold::header_word(function.id, 0), 0};
  for (const trace::Field& field : function.fields) {
    if (field.kind == FieldKind::kStatus && !field.is_array) {
      event.insert(event.end(), 3, trace::kNothing);
    } else if (field.kind == FieldKind::kComm && !field.is_outcome) {
      event.push_back(trace::kWorldSlot);
    } else {
      const bool is_quiet = field.kind == FieldKind::kBuffer || field.kind == FieldKind::kStatus;
      event.push_back(is_quiet ? 0 : trace::kNothing);
    }
  }
  return event;
}

// MPI looks at one side of these only on the root.
std::vector<std::size_t> root_words(const Function& function) {
  std::vector<std::size_t> words;
  const trace::CallMeaning& means = trace::meaning_of(function);
  const auto add = [&](int count, int type) {
    words = {static_cast<std::size_t>(count), static_cast<std::size_t>(type)};
  };
  if (means.collective == trace::Collective::kGather ||
      means.collective == trace::Collective::kGatherv)
    add(means.receive_count, means.receive_type);
  if (means.collective == trace::Collective::kScatter ||
      means.collective == trace::Collective::kScatterv)
    add(means.send_count, means.send_type);
  return words;
}

std::vector<std::size_t> words_of_kind(const Function& function, FieldKind kind) {
  std::vector<std::size_t> words;
  for (const trace::Field& field : function.fields) {
    if (field.kind == kind) words.push_back(static_cast<std::size_t>(function.word_of(field.name)));
  }
  return words;
}

ActionForm form_of(const Row& row) {
  ActionForm form;
  form.kind = row.kind;
  form.arguments_text = row.arguments;
  if (row.function.empty()) return form;
  form.function = trace::find_function(row.function);
  form.event = event_of_world(*form.function);
  form.root_words = root_words(*form.function);
  form.datatype_words = words_of_kind(*form.function, FieldKind::kDatatype);
  form.has_unknown_op = !words_of_kind(*form.function, FieldKind::kOp).empty();
  const trace::CallMeaning& means = trace::meaning_of(*form.function);
  form.root_word = means.root;
  form.source_word = means.source;
  form.dest_word = means.dest;
  form.tag_word = means.tag();
  if (row.kind != ActionKind::kCall) return form;
  std::string_view rest = row.arguments;
  while (!rest.empty()) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    form.arguments.push_back(argument_of(*form.function, rest.substr(0, blank)));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return form;
}

std::unordered_map<std::string, std::vector<ActionForm>> make_table() {
  std::unordered_map<std::string, std::vector<ActionForm>> table;
  for (const Row& row : kRows) table[std::string(row.action)].push_back(form_of(row));
  return table;
}

} // namespace

std::size_t ActionForm::most(std::size_t ranks) const {
  std::size_t count = 0;
  for (const Argument& argument : arguments)
    count += argument.kind == Argument::Kind::kCounts ? ranks : 1;
  return count;
}

std::size_t ActionForm::least(std::size_t ranks) const {
  const auto optional =
      std::count_if(arguments.begin(), arguments.end(),
                    [](const Argument& argument) { return argument.is_optional; });
  return most(ranks) - static_cast<std::size_t>(optional);
}

namespace {

std::span<const ActionForm> find_forms(std::string_view name) {
  static const auto table = make_table();
  thread_local std::string key;
  key.assign(name);
  for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = table.find(key);
  if (found == table.end()) return {};
  return found->second;
}

struct Known {
  std::string name;
  std::span<const ActionForm> forms;
};

} // namespace

// Traces have few actions and many lines: most names have just been looked up.
std::span<const ActionForm> forms_of(std::string_view name) {
  constexpr std::size_t kSlots = 64;
  thread_local std::array<Known, kSlots> known;
  if (name.empty()) return {};
  const auto code = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
  Known& slot = known[(name.size() * 11 + code(name.front()) * 5 + code(name.back())) % kSlots];
  if (slot.name != name) slot = {std::string(name), find_forms(name)};
  return slot.forms;
}

} // namespace rondo::convert::internal
