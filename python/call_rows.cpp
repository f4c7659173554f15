// SPDX-License-Identifier: Apache-2.0
#include "python/call_rows.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <cstring>

namespace rondo::python {
namespace {

constexpr std::int64_t kNone = -1; // no such argument, or one that names no rank
constexpr std::int64_t kAny = -2; // MPI_ANY_SOURCE, MPI_ANY_TAG that was never matched
constexpr std::int64_t kNoComm = -3; // MPI_COMM_NULL, or no such argument; -1 and -2 are predefined

template <class T> void put(std::byte* at, std::int64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(at, &narrow, sizeof narrow);
}

void put(std::byte* at, std::size_t size, std::int64_t value) {
  if (size == 2) return put<std::int16_t>(at, value);
  if (size == 4) return put<std::int32_t>(at, value);
  put<std::int64_t>(at, value);
}

bool is_time(Column column) { return column >= Column::kStart; }

std::int64_t plain(std::int64_t word) {
  if (word == trace::kAnySource || word == trace::kAnyTag) return kAny;
  return trace::is_special(word) ? kNone : word;
}

std::string names_of_columns() {
  std::string names;
  for (const ColumnFormat& c : all_columns())
    names += (names.empty() ? "" : ", ") + std::string(c.name);
  return names;
}

} // namespace

const std::vector<ColumnFormat>& all_columns() {
  static const std::vector<ColumnFormat> kAll = {{"function", "u2", Column::kFunction, 2},
                                                 {"peer", "i4", Column::kPeer, 4},
                                                 {"tag", "i4", Column::kTag, 4},
                                                 {"comm", "i4", Column::kComm, 4},
                                                 {"bytes", "u8", Column::kBytes, 8},
                                                 {"site", "u4", Column::kSite, 4},
                                                 {"error", "u2", Column::kError, 2},
                                                 {"start_ns", "u8", Column::kStart, 8},
                                                 {"computation_ns", "u8", Column::kComputation, 8},
                                                 {"inside_ns", "u8", Column::kInside, 8}};
  return kAll;
}

CallRows::CallRows(std::shared_ptr<const trace::Trace> trace, const trace::RankClass& c,
                   std::int64_t rank)
    : trace_(std::move(trace)), reader_(*trace_, c, rank), bytes_(*trace_, reader_.program(), rank),
      plans_(reader_.program().calls.size()) {
  for (const std::uint64_t times : c.program->nest.occurrences(c.program->calls.size()))
    left_ += times;
}

Result<std::unique_ptr<CallRows>> CallRows::open(std::shared_ptr<const trace::Trace> trace,
                                                 std::int64_t rank, std::uint32_t thread,
                                                 const std::vector<std::string>& columns) {
  const trace::RankClass* c = trace->class_of(rank, thread);
  if (c == nullptr)
    return fail(ErrorCode::kNotFound, "has no rank " + std::to_string(rank) + " with a thread " +
                                          std::to_string(thread) + "; its ranks are 0 to " +
                                          std::to_string(trace->run.ranks - 1));
  const trace::TimeStamps* stamps = trace->stamps_of(rank, thread);
  std::unique_ptr<CallRows> rows(new CallRows(trace, *c, rank));
  for (const std::string& name : columns) {
    const auto& all = all_columns();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    if (found == all.end())
      return fail(ErrorCode::kUsage,
                  "there is no column '" + name + "'; there are " + names_of_columns());
    if (is_time(found->column) && stamps == nullptr)
      return fail(ErrorCode::kUnsupported,
                  "has no times of every call, which '" + name +
                      "' needs; record with times='full' (rondo record --times full)");
    for (const ColumnFormat& other : rows->columns_)
      if (other.name == name)
        return fail(ErrorCode::kUsage, "the column '" + name + "' is asked for twice");
    rows->add(*found);
  }
  if (!rows->times_.empty()) rows->stamps_.emplace(*stamps);
  if (stamps != nullptr) rows->timed_ = stamps->calls;
  return rows;
}

void CallRows::add(const ColumnFormat& column) {
  if (column.column == Column::kStart) times_.push_back({&trace::CallTime::start_ns, row_size_});
  if (column.column == Column::kComputation)
    times_.push_back({&trace::CallTime::computation_ns, row_size_});
  if (column.column == Column::kInside) times_.push_back({&trace::CallTime::inside_ns, row_size_});
  columns_.push_back(column);
  row_size_ += column.size;
}

void CallRows::plan(Plan& plan, const trace::CallInstance& call) const {
  const trace::Function& function = *call.function;
  const trace::CallMeaning& means = trace::meaning_of(function);
  const int reads_from = means.source >= 0 ? means.source : means.target;
  plan.peer = means.dest >= 0 ? means.dest : reads_from;
  plan.status = means.status;
  plan.tag = means.send_tag >= 0 ? means.send_tag : means.receive_tag;
  plan.comm = function.comm_word();
  const auto& words = reader_.program().calls[call.symbol].words;
  plan.varies = std::any_of(words.begin(), words.end(), trace::is_column);
  plan.row.resize(row_size_);
  plan.is_made = true;
}

void CallRows::write_words(Plan& plan, const trace::CallInstance& call) const {
  const auto word = [&](int index) {
    return index < 0 ? trace::kNothing : call.words[static_cast<std::size_t>(index)];
  };
  std::byte* at = plan.row.data();
  for (const ColumnFormat& c : columns_) {
    std::int64_t value = 0;
    if (c.column == Column::kFunction) value = call.function->id;
    if (c.column == Column::kPeer) value = plain(word(plan.peer));
    if (c.column == Column::kPeer && value == kAny && plan.status >= 0)
      value = word(plan.status) == trace::kNothing ? kAny : plain(word(plan.status)); // what came
    if (c.column == Column::kTag) value = plain(word(plan.tag));
    if (c.column == Column::kTag && value == kAny && plan.status >= 0)
      value = word(plan.status + 1) == trace::kNothing ? kAny : plain(word(plan.status + 1));
    if (c.column == Column::kComm)
      value = trace::is_special(word(plan.comm)) ? kNoComm : word(plan.comm);
    if (c.column == Column::kBytes)
      value = static_cast<std::int64_t>(bytes_.of(*call.function, call.words));
    if (c.column == Column::kSite) value = call.site;
    if (c.column == Column::kError) value = call.error;
    put(at, c.size, value);
    at += c.size;
  }
}

void CallRows::write_times(std::byte* row) {
  const trace::CallTime time = stamps_->next().value_or(trace::CallTime{});
  for (const TimePlace& place : times_) std::memcpy(row + place.at, &(time.*place.field), 8);
}

std::size_t CallRows::fill(std::byte* rows, std::size_t most) {
  std::size_t count = 0;
  for (; count < most; ++count, rows += row_size_) {
    const trace::CallInstance* call = reader_.next();
    if (call == nullptr) break;
    Plan& own = plans_[call->symbol];
    if (!own.is_made) {
      plan(own, *call);
      write_words(own, *call);
    } else if (own.varies) {
      write_words(own, *call);
    }
    std::memcpy(rows, own.row.data(), row_size_);
    if (stamps_) write_times(rows);
  }
  left_ -= std::min<std::uint64_t>(left_, count);
  return count;
}

} // namespace rondo::python
