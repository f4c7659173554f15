// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/calls.hpp"

#include "generate/lower/polls.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_text.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <set>

namespace rondo::generate::internal {

using trace::Field;
using trace::FieldKind;

namespace {

constexpr std::int64_t kCountWorthAName = 16;

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

Calls::Context Calls::context_of(std::size_t symbol, const Place& place, const TermPlace* at) {
  const trace::MergedProgram& program = words_.program();
  Context context;
  context.merged = &program.calls[symbol];
  context.function = trace::find_function(context.merged->call.function);
  context.ranks = program.table.sets[context.merged->set].ranks();
  context.place = place;
  set_domain(context);
  context.words.resize(context.merged->call.words.size());
  const int comm = context.function->comm_word();
  for (const std::int64_t r : context.ranks) {
    const trace::Positions& positions = words_.positions(r);
    std::int64_t slot = trace::kWorldSlot;
    if (comm >= 0)
      slot = words_
                 .sequence(context.merged->call.words[static_cast<std::size_t>(comm)], r,
                           {r, trace_.run.ranks, nullptr})
                 .at(0);
    for (std::size_t w = 0; w < context.words.size(); ++w) {
      Sequence values = words_.sequence(context.merged->call.words[w], r, positions.of(slot));
      if (at != nullptr)
        values =
            places_.at(*at, trace::Term::symbol(static_cast<std::uint32_t>(symbol)), r, values);
      context.words[w].push_back(std::move(values));
    }
  }
  return context;
}

// Where the ranks stand in the call's communicator; peers are ranks of it.
void Calls::set_domain(Context& context) {
  Domain& domain = context.domain;
  domain.world = context.ranks;
  domain.own = context.ranks;
  domain.size = trace_.run.ranks;
  const int word = context.function->comm_word();
  if (word < 0) return;
  std::vector<Sequence> slots;
  for (std::size_t i = 0; i < context.ranks.size(); ++i) {
    const std::int64_t r = context.ranks[i];
    slots.push_back(words_.sequence(context.merged->call.words[static_cast<std::size_t>(word)], r,
                                    {r, trace_.run.ranks, nullptr}));
    const auto& position = words_.positions(r).of(slots.back().at(0));
    domain.own[i] = position.rank;
    domain.size = i == 0 || domain.size == position.size ? position.size : 0;
  }
  if (domain.size != trace_.run.ranks) domain.own_size = number(domain.size);
  if (domain.own == domain.world) return;
  Domain plain;
  plain.world = domain.world;
  plain.own = domain.world;
  domain.own_rank =
      call("rank_in", {objects_.use(forms_, plain, slots, context.place, FieldKind::kComm)});
}

const Field* Calls::field_of(const Context& context, int word) const {
  int next = 0;
  for (const Field& field : context.function->fields) {
    if (next == word) return &field;
    next += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  return nullptr;
}

// ---- What all calls refer to --------------------------------------------------------------------

void Calls::survey() {
  std::int64_t oldest = -1;
  const auto see = [&](const Field& field, std::int64_t value) {
    if (trace::is_special(value)) return;
    if (!table_of(field.kind).empty()) objects_.see(field.kind, value);
    if (field.kind != FieldKind::kRequest || trace::is_foreign(value)) return;
    const auto place = static_cast<std::int64_t>(trace::age_or_slot(value));
    if (trace::is_persistent(value)) {
      benchmark_.persistent = std::max(benchmark_.persistent, place + 1);
    } else {
      oldest = std::max(oldest, place);
    }
  };
  std::set<std::pair<std::shared_ptr<const std::vector<std::int64_t>>, FieldKind>> seen;
  for (std::size_t symbol = 0; symbol < words_.program().calls.size(); ++symbol) {
    const Context context = context_of(symbol, {});
    if (context.function->role != trace::Role::kDatatype)
      benchmark_.buffer_bytes = std::max(benchmark_.buffer_bytes, message_bytes(context));
    if (context.function->makes_request) oldest = std::max<std::int64_t>(oldest, 0);
    if (context.function->makes_request && context.function->mode == trace::Mode::kPersistent)
      benchmark_.persistent = std::max<std::int64_t>(benchmark_.persistent, 1);
    for (std::size_t w = 0; w < context.words.size(); ++w) {
      const Field* field = field_of(context, static_cast<int>(w));
      if (field == nullptr || (table_of(field->kind).empty() && field->kind != FieldKind::kRequest))
        continue;
      for (const Sequence& s : context.words[w]) {
        if (!s.is_constant() && !seen.insert({s.values, field->kind}).second) continue;
        for (std::size_t i = 0; i < s.size(); ++i) {
          if (!field->is_array) {
            see(*field, s.at(i));
          } else if (!trace::is_special(s.at(i))) {
            const auto& array = words_.array(s.at(i));
            benchmark_.longest_list =
                std::max(benchmark_.longest_list, static_cast<std::int64_t>(array.size()));
            for (const std::int64_t value : array) see(*field, value);
          }
        }
      }
    }
  }
  std::int64_t ring = oldest < 0 ? 0 : 1;
  while (ring <= oldest) ring *= 2;
  benchmark_.requests = std::max(benchmark_.requests, ring);
}

// ---- A call -------------------------------------------------------------------------------------

std::vector<Statement> Calls::statements(std::size_t symbol, const Place& place,
                                         const TermPlace& at) {
  const Context context = context_of(symbol, place, &at);
  if (is_query(*context.function)) return {};
  if (auto flags = frees_of(context, symbol, at)) return free_made(context, std::move(*flags));
  const int outcome = poll_outcome(*context.function);
  if (outcome >= 0) return poll(context, outcome);
  return {call_of(context)};
}

Statement Calls::call_of(const Context& context) {
  Statement statement{.kind = Statement::Kind::kCall, .name = std::string(context.function->name)};
  for (const CArgument& argument : c_arguments(context.function->id))
    statement.arguments.push_back({std::string(argument.name), this->argument(context, argument)});
  return statement;
}

Expression Calls::argument(const Context& context, const CArgument& argument) {
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
    return requests(context, argument);
  if (argument.length_of >= 0)
    return length(context,
                  c_arguments(context.function->id)[static_cast<std::size_t>(argument.length_of)]);
  if (argument.word < 0) {
    if (argument.kind == ArgumentKind::kRequest) {
      const bool is_kept = context.function->mode == trace::Mode::kPersistent;
      return call(is_kept ? "new_persistent" : "new_request", {});
    }
    return outcome(argument);
  }
  const Field& field = *field_of(context, argument.word);
  if (argument.kind == ArgumentKind::kRequest)
    return request(context, context.words[static_cast<std::size_t>(argument.word)]);
  return argument.is_array ? array(context, argument, field) : scalar(context, argument, field);
}

Expression Calls::scalar(const Context& context, const CArgument& argument, const Field& field) {
  const auto& values = context.words[static_cast<std::size_t>(argument.word)];
  if (argument.kind == ArgumentKind::kOp && is_unsaid(values)) return unsaid_operation(context);
  if (!table_of(field.kind).empty()) {
    if (argument.direction == Direction::kIn)
      return objects_.use(forms_, context.domain, values, context.place, field.kind);
    return address(objects_.slot(forms_, context.domain, values, context.place, field.kind));
  }
  if (!is_integer(argument.kind) || argument.direction != Direction::kIn) return outcome(argument);
  ValueKind kind{.hint = hint_of(argument.kind),
                 .type = std::string(argument.type),
                 .is_number = true,
                 .leaf = leaf_of(field),
                 .constant_name = [&field](std::int64_t v) { return constant_name(field, v); }};
  if (argument.kind == ArgumentKind::kCount) {
    kind.leaf = [this, &context](std::int64_t value) { return count_name(value, context); };
  }
  return forms_.expression(context.domain, values, context.place, kind);
}

// Any operation that the datatype has: converted traces do not say which it was.
Expression Calls::unsaid_operation(const Context& context) {
  const int word = context.function->word_of("datatype");
  const std::int64_t type =
      word < 0 ? 0 : context.words[static_cast<std::size_t>(word)].front().at(0);
  const auto types = trace::predefined_objects(FieldKind::kDatatype);
  const auto index = static_cast<std::size_t>(-1 - type);
  const bool is_bytes = type < 0 && index < types.size() && types[index] == mpi::BYTE;
  return name(std::string(is_bytes ? mpi::BOR : mpi::SUM));
}

// Counts of more than a few elements have names, so that they can be changed in one place.
Expression Calls::count_name(std::int64_t value, const Context& context) {
  if (trace::is_special(value) || value <= kCountWorthAName)
    return number(value == trace::kNothing ? 0 : value);
  auto& known = shared_.counts[value];
  if (known.empty()) {
    known = shared_.fresh("COUNT");
    benchmark_.constants.push_back(
        {known, value, "elements, of " + std::string(context.function->name)});
  }
  return name(known);
}

Expression Calls::buffer(const Context& context, const CArgument& argument) {
  const std::string_view function = context.function->name;
  if (trace::meaning_of(*context.function).act == trace::Act::kMakeWindow) {
    const int size = context.function->word_of("size");
    const std::int64_t bytes =
        size < 0 ? 0 : largest(context.words[static_cast<std::size_t>(size)]);
    return call("window_memory", {number(bytes)});
  }
  if (function == mpi::Buffer_attach) {
    benchmark_.attached_bytes = std::max(
        benchmark_.attached_bytes,
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
  return forms_.expression(context.domain, context.words[static_cast<std::size_t>(argument.word)],
                           context.place, kind);
}

// What the call gives back, and nothing of the benchmark looks at.
Expression Calls::outcome(const CArgument& argument) const {
  if (argument.is_array) return name("ignored_list");
  if (argument.kind == ArgumentKind::kPointer) return address(name("ignored_pointer"));
  const std::string type(argument.type);
  if (argument.kind == ArgumentKind::kLogical) return address(name("ignored_flag"));
  if (type == "int") return address(name("ignored"));
  return address(name("ignored_" + type.substr(4))); // ignored_Aint, ignored_Offset, ignored_Count
}

// A file that is opened and not created has to be there, with something to read. It is sparse, so
// its length costs nothing.
void Calls::provide_files(const Context& context, const std::vector<Sequence>& numbers) {
  constexpr std::int64_t kCreate = 1 << 3; // bit of MPI_MODE_CREATE
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;
  const auto& modes = context.words[static_cast<std::size_t>(context.function->word_of("amode"))];
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    for (std::size_t i = 0; i < numbers[r].size(); ++i) {
      if ((modes[r].at(i) & kCreate) != 0) continue;
      ScratchFile& file = benchmark_.files[static_cast<std::size_t>(numbers[r].at(i)) - 1];
      file.bytes = std::min(kLongest, benchmark_.buffer_bytes * benchmark_.ranks * 64);
    }
  }
}

// Files get names of the benchmark's own, and so do phases and objects: what the program called
// them is its secret. Numbers are those of first uses.
Expression Calls::text(const Context& context, const CArgument& argument) {
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
    if (is_new && is_file) benchmark_.files.push_back({"scratch_" + std::to_string(next), 0});
    return found->second;
  });
  if (context.function->word_of("amode") >= 0) provide_files(context, numbers);
  const std::string begin = is_file ? "scratch_" : "name ";
  const ValueKind kind{.hint = "text", .leaf = number, .constant_name = {}};
  Expression which = forms_.expression(context.domain, numbers, context.place, kind);
  if (which.is_number()) return literal(begin + std::to_string(which.number));
  return call("numbered", {literal(begin), std::move(which)});
}

} // namespace rondo::generate::internal
