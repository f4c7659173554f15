// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/arguments.hpp"

#include "generate/lower/arguments/argument_values.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::generate::internal {

using trace::Field;
using trace::FieldKind;

namespace {

bool is_integer(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::kAddress:
  case ArgumentKind::kAint:
  case ArgumentKind::kBigcount:
  case ArgumentKind::kChoice:
  case ArgumentKind::kColor:
  case ArgumentKind::kCount:
  case ArgumentKind::kDispl:
  case ArgumentKind::kInt:
  case ArgumentKind::kLogical:
  case ArgumentKind::kOffset:
  case ArgumentKind::kRank:
  case ArgumentKind::kRoot:
  case ArgumentKind::kTag:
  case ArgumentKind::kWeight:
    return true;
  default:
    return false;
  }
}

// What tables of the argument's values are called.
std::string hint_of(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::kRank:
    return "peer";
  case ArgumentKind::kRoot:
    return "root";
  case ArgumentKind::kTag:
    return "tag";
  case ArgumentKind::kCount:
  case ArgumentKind::kBigcount:
    return "count";
  case ArgumentKind::kColor:
    return "color";
  case ArgumentKind::kDispl:
  case ArgumentKind::kAint:
  case ArgumentKind::kOffset:
    return "displacement";
  default:
    return "value";
  }
}

bool is_writing(const trace::Function& function) {
  return function.name.find("_write") != std::string_view::npos;
}

bool is_unsaid(const std::vector<Sequence>& sequences) {
  return std::ranges::all_of(sequences, [](const Sequence& s) {
    return s.is_constant() && s.constant == trace::kNothing;
  });
}

} // namespace

std::string constant_name(const Field& field, std::int64_t value) {
  if (std::string choice = trace::named_value(field, value); !choice.empty()) return choice;
  return trace::is_special(value) && value != trace::kNothing
             ? trace::special_text(field.kind, value)
             : "";
}

Leaf leaf_of(const Field& field) {
  return [&field](std::int64_t value) {
    if (const std::string text = constant_name(field, value); !text.empty()) return name(text);
    return number(value == trace::kNothing ? 0 : value); // what MPI does not look at
  };
}

Expression ignored_argument(const CArgument& argument) {
  if (argument.is_array) return name("ignored_list");
  if (argument.kind == ArgumentKind::kPointer) return address(name("ignored_pointer"));
  const std::string type(argument.type);
  if (argument.kind == ArgumentKind::kLogical) return address(name("ignored_flag"));
  if (type == "int") return address(name("ignored"));
  return address(name("ignored_" + type.substr(4))); // ignored_Aint, ignored_Offset, ignored_Count
}

Statement Arguments::call_of(const CallContext& context) {
  Statement statement{.kind = Statement::Kind::kCall, .name = std::string(context.function->name)};
  for (const CArgument& argument : c_arguments(context.function->id))
    statement.arguments.push_back({std::string(argument.name), this->argument(context, argument)});
  return statement;
}

Expression Arguments::argument(const CallContext& context, const CArgument& argument) {
  if (argument.kind == ArgumentKind::kBuffer) return buffer(context, argument);
  if (argument.kind == ArgumentKind::kStatus)
    return name(std::string(argument.is_array ? mpi::STATUSES_IGNORE : mpi::STATUS_IGNORE));
  if (argument.kind == ArgumentKind::kInfo) return name(std::string(mpi::INFO_NULL));
  if (argument.kind == ArgumentKind::kErrhandler) return name(std::string(mpi::ERRORS_ARE_FATAL));
  if (argument.kind == ArgumentKind::kCallback) return name("no_operation");
  if (argument.kind == ArgumentKind::kArgc || argument.kind == ArgumentKind::kArgv)
    return name("NULL");
  if (argument.kind == ArgumentKind::kString) return text(context, argument);
  if (argument.kind == ArgumentKind::kRequest && argument.is_array)
    return lists_.requests(context, argument);
  if (argument.length_of >= 0)
    return lists_.length(
        context, c_arguments(context.function->id)[static_cast<std::size_t>(argument.length_of)]);
  if (argument.word < 0) {
    if (argument.kind == ArgumentKind::kRequest) {
      const bool is_kept = context.function->mode == trace::Mode::kPersistent;
      return call(is_kept ? "new_persistent" : "new_request", {});
    }
    return ignored_argument(argument);
  }
  const Field& field = *context.field_of(argument.word);
  if (argument.kind == ArgumentKind::kRequest)
    return lists_.request(context, context.words[static_cast<std::size_t>(argument.word)]);
  return argument.is_array ? lists_.array(context, argument, field)
                           : scalar(context, argument, field);
}

Expression Arguments::scalar(const CallContext& context, const CArgument& argument,
                             const Field& field) {
  const auto& values = context.words[static_cast<std::size_t>(argument.word)];
  if (argument.kind == ArgumentKind::kOp && is_unsaid(values)) return unsaid_operation(context);
  if (!table_of(field.kind).empty()) {
    if (argument.direction == Direction::kIn)
      return shared_.objects.use(shared_.forms, context.domain, values, context.place, field.kind);
    return address(
        shared_.objects.slot(shared_.forms, context.domain, values, context.place, field.kind));
  }
  if (!is_integer(argument.kind) || argument.direction != Direction::kIn)
    return ignored_argument(argument);
  ValueKind kind{.hint = hint_of(argument.kind),
                 .type = std::string(argument.type),
                 .is_number = true,
                 .leaf = leaf_of(field),
                 .constant_name = [&field](std::int64_t v) { return constant_name(field, v); }};
  if (argument.kind == ArgumentKind::kCount) {
    kind.leaf = [this, &context](std::int64_t value) {
      return shared_.count_name(value, context.function->name);
    };
  }
  return shared_.forms.expression(context.domain, values, context.place, kind);
}

// Any operation that the datatype has: converted traces do not say which it was.
Expression Arguments::unsaid_operation(const CallContext& context) {
  const int word = trace::meaning_of(*context.function).send_type;
  const std::int64_t type =
      word < 0 ? 0 : context.words[static_cast<std::size_t>(word)].front().at(0);
  const auto types = trace::predefined_objects(FieldKind::kDatatype);
  const auto index = static_cast<std::size_t>(-1 - type);
  const bool is_bytes = type < 0 && index < types.size() && types[index] == mpi::BYTE;
  return name(std::string(is_bytes ? mpi::BOR : mpi::SUM));
}

Expression Arguments::buffer(const CallContext& context, const CArgument& argument) {
  const std::string_view function = context.function->name;
  if (trace::meaning_of(*context.function).act == trace::Act::kMakeWindow) {
    const int size = context.function->word_of("size");
    const std::int64_t bytes =
        size < 0 ? 0 : largest(context.words[static_cast<std::size_t>(size)]);
    return call("window_memory", {number(bytes)});
  }
  if (function == mpi::Buffer_attach) {
    shared_.benchmark.attached_bytes = std::max(
        shared_.benchmark.attached_bytes,
        largest(context.words[static_cast<std::size_t>(context.function->word_of("size"))]));
    return name("attached_buffer");
  }
  // Data of MPI_Put, of files that are written and the like goes out although it is no const.
  const bool is_sent = argument.direction == Direction::kIn || is_writing(*context.function);
  const Leaf leaf = [&](std::int64_t value) {
    if (value == trace::kInPlace) return name(std::string(mpi::IN_PLACE));
    if (value == trace::kBottom) return name(std::string(mpi::BOTTOM));
    return name(is_sent ? "send_buffer" : "receive_buffer");
  };
  if (argument.word < 0) return leaf(0);
  const ValueKind kind{.hint = "buffer", .is_number = false, .leaf = leaf, .constant_name = {}};
  return shared_.forms.expression(
      context.domain, context.words[static_cast<std::size_t>(argument.word)], context.place, kind);
}

// A file that is opened and not created has to be there, with something to read. It is sparse, so
// its length costs nothing.
void Arguments::provide_files(const CallContext& context, const std::vector<Sequence>& numbers) {
  constexpr std::int64_t kCreate = 1 << 3; // bit of MPI_MODE_CREATE
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;
  const auto& modes = context.words[static_cast<std::size_t>(context.function->word_of("amode"))];
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    for (std::size_t i = 0; i < numbers[r].size(); ++i) {
      if ((modes[r].at(i) & kCreate) != 0) continue;
      ScratchFile& file = shared_.benchmark.files[static_cast<std::size_t>(numbers[r].at(i)) - 1];
      file.bytes =
          std::min(kLongest, shared_.benchmark.buffer_bytes * shared_.benchmark.ranks * 64);
    }
  }
}

// Files get names of the benchmark's own, and so do phases and objects: what the program called
// them is its secret. Numbers are those of first uses.
Expression Arguments::text(const CallContext& context, const CArgument& argument) {
  if (argument.direction != Direction::kIn) return name("ignored_text");
  const auto& texts = words_.program().texts;
  const auto& words = context.words[static_cast<std::size_t>(argument.word)];
  if (argument.name == "datarep")
    return literal(texts[static_cast<std::size_t>(words.front().at(0))]);
  const bool is_file = argument.name == "filename";
  auto& known = is_file ? shared_.files : shared_.texts;
  const auto numbers = mapped(words, [&](std::int64_t index) {
    const auto next = static_cast<std::int64_t>(known.size()) + 1;
    const auto [found, is_new] = known.try_emplace(texts[static_cast<std::size_t>(index)], next);
    if (is_new && is_file)
      shared_.benchmark.files.push_back({"scratch_" + std::to_string(next), 0});
    return found->second;
  });
  if (context.function->word_of("amode") >= 0) provide_files(context, numbers);
  const std::string begin = is_file ? "scratch_" : "name ";
  const ValueKind kind{.hint = "text", .leaf = number, .constant_name = {}};
  Expression which = shared_.forms.expression(context.domain, numbers, context.place, kind);
  if (which.is_number()) return literal(begin + std::to_string(which.number));
  return call("numbered", {literal(begin), std::move(which)});
}

} // namespace rondo::generate::internal
