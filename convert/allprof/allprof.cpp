// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/allprof.hpp"

#include "convert/allprof/call_line.hpp"
#include "convert/calls/rank_program.hpp"
#include "convert/calls/read_together.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/command_line.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

struct AllprofCounts {
  std::uint64_t any_source = 0;
  std::uint64_t unknown_comms = 0;
  std::uint64_t unheard_requests = 0;
  std::uint64_t guessed_waits = 0;
  std::uint64_t open_tests = 0;
  std::uint64_t operations = 0;
  std::uint64_t unfinished_ranks = 0;
  std::map<std::string, std::uint64_t> left_out;

  static constexpr auto members() {
    using Counts = AllprofCounts;
    return std::array{&Counts::any_source,      &Counts::unknown_comms, &Counts::unheard_requests,
                      &Counts::guessed_waits,   &Counts::open_tests,    &Counts::operations,
                      &Counts::unfinished_ranks};
  }
  static constexpr auto by_name() { return std::array{&AllprofCounts::left_out}; }

  std::vector<Remark> remarks() const {
    return counted_remarks(
        {
            {any_source, "receives from any source", "the trace does not say who sent"},
            {unknown_comms, "calls on communicators other than those of all ranks and of one",
             "the trace does not say who is in them"},
            {unheard_requests, "requests that calls waited for", "no call made them"},
            {guessed_waits, "calls of MPI_Waitall", "taken to wait for all open requests"},
            {open_tests, "calls of MPI_Test", "the trace does not say what they found"},
            {operations, "reductions", "operations are numbers of the MPI library that was traced"},
            {unfinished_ranks, "ranks without MPI_Finalize", "the trace is incomplete"},
        },
        left_out);
  }
};

// What comments say, at the begin and at the end of a file.
struct AllprofHeads {
  std::string host{};
  // How far the first rank's clock is ahead of this one's.
  std::optional<std::int64_t> first_ahead_ns{};
  std::optional<std::int64_t> last_ahead_ns{};

  void read(std::string_view line) {
    constexpr std::string_view kHost = "# host: ", kFirst = "# Init clockdiff: ",
                               kLast = "# Finalize clockdiff: ";
    constexpr std::size_t kLongest = 255;
    if (line.starts_with(kHost) && line.size() < kLongest) host = line.substr(kHost.size());
    if (line.starts_with(kFirst)) first_ahead_ns = ns_of(line.substr(kFirst.size()));
    if (line.starts_with(kLast)) last_ahead_ns = ns_of(line.substr(kLast.size()));
  }

private:
  static std::optional<std::int64_t> ns_of(std::string_view microseconds) {
    double us = 0;
    if (!parse(microseconds, us) || !(std::abs(us) < 1e12)) return std::nullopt;
    return static_cast<std::int64_t>(us * 1e3);
  }
};

class AllprofRank {
public:
  AllprofRank(const ImportOptions& options, AllprofCounts& counts, std::int64_t rank,
              std::int64_t ranks, std::uint64_t base_ns)
      : counts_(counts), ranks_(ranks), base_ns_(base_ns), program_(options, rank, 0, ranks) {}

  Status add(const AllprofLine& line) {
    const std::uint64_t begin_ns = since_base(line.begin_ns ? line.begin_ns : line.end_ns);
    const std::uint64_t end_ns = std::max(begin_ns, since_base(line.end_ns));
    const NamedCall& call = named(line.function);
    if (call.form.function == nullptr) {
      ++counts_.left_out[call.canonical.empty() ? std::string(line.function) : call.canonical];
      computation_ns_ += begin_ns - free_ns_;
      free_ns_ = end_ns;
      return {};
    }
    CallWords words(call.form);
    const std::string_view layout = allprof_layout(call.canonical);
    if (line.fields.size() < layout.size()) {
      return bad(sentence(call.canonical, " has ", counted(line.fields.size(), "argument"),
                          "; expected ", std::to_string(layout.size())));
    }
    if (auto filled = fill(call.form, layout, line.fields, words); !filled) return filled;
    if (layout.empty()) find_comm(call.form, line.fields, words);
    if (call.form.makes_request() && layout.find('q') == std::string_view::npos) ++made_;
    counts_.operations += call.form.has_operation ? 1 : 0;
    const std::uint64_t computed_ns = std::exchange(computation_ns_, 0) + begin_ns - free_ns_;
    program_.record(words.event, {begin_ns, end_ns, computed_ns});
    free_ns_ = end_ns;
    return {};
  }

  /// When the last call ended, by the first rank's clock.
  std::uint64_t end_ns(const AllprofHeads& heads) const {
    const std::int64_t ahead_ns = heads.last_ahead_ns.value_or(heads.first_ahead_ns.value_or(0));
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(free_ns_) + ahead_ns, 0));
  }

  fold::RecordingPart finish(const AllprofHeads& heads) {
    fold::RecordingPart part = program_.finish({0, static_cast<std::int64_t>(base_ns_)});
    counts_.unfinished_ranks += part.run.complete ? 0 : 1;
    if (!heads.host.empty())
      part.tables.hosts.push_back({heads.host, trace::RankSet::of({part.ranks.front().first})});
    trace::RankClock& clock = part.ranks.front().second.clock.edit();
    clock.correction_ns = heads.first_ahead_ns.value_or(0);
    clock.gain_ppt = gain_ppt(heads);
    for (trace::TimeStamps& stamps : part.stamps) {
      stamps.origin_unix_ns += clock.correction_ns;
      stamps.gain_ppt = clock.gain_ppt;
    }
    return part;
  }

private:
  // What the first rank's clock gains on this one, from the begin to the end of the trace.
  std::int64_t gain_ppt(const AllprofHeads& heads) const {
    if (!heads.first_ahead_ns || !heads.last_ahead_ns || free_ns_ == 0) return 0;
    const auto gained = static_cast<double>(*heads.last_ahead_ns - *heads.first_ahead_ns);
    const double ppt = gained / static_cast<double>(free_ns_) * 1e12;
    return std::abs(ppt) < static_cast<double>(trace::kMostGain_ppt)
               ? static_cast<std::int64_t>(ppt)
               : 0;
  }

  // Never before the end of the call before, as calls do not overlap.
  std::uint64_t since_base(std::optional<std::uint64_t> ns) const {
    return std::max(ns.value_or(0) > base_ns_ ? *ns - base_ns_ : 0, free_ns_);
  }

  const NamedCall& named(std::string_view function) {
    const auto found = names_.find(std::string(function));
    if (found != names_.end()) return found->second;
    return names_.emplace(function, call_of_name(function)).first->second;
  }

  struct Amounts {
    std::int64_t sent = 1, send_size = 1, received = 1, receive_size = 1;
  };

  Status fill(const CallForm& form, std::string_view layout,
              const std::vector<std::string_view>& fields, CallWords& words) {
    Amounts amounts;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      if (auto filled = fill_field(form, layout[i], fields[i], amounts, words); !filled)
        return filled;
    }
    const bool has_sizes = layout.find_first_of("nN") != std::string_view::npos;
    if (!has_sizes) return {};
    if (layout.find('N') == std::string_view::npos || form.send_count == form.receive_count) {
      const bool only_receives = layout.find('n') == std::string_view::npos;
      words.put_bytes(only_receives ? form.receive_count : form.send_count,
                      only_receives ? form.receive_type : form.send_type,
                      only_receives ? amounts.received * amounts.receive_size
                                    : amounts.sent * amounts.send_size);
      return {};
    }
    words.put_bytes(form.send_count, form.send_type, amounts.sent * amounts.send_size);
    words.put_bytes(form.receive_count, form.receive_type, amounts.received * amounts.receive_size);
    return {};
  }

  Status fill_field(const CallForm& form, char kind, std::string_view field, Amounts& amounts,
                    CallWords& words) {
    constexpr std::string_view kNumbers = "nNDSgGr#";
    std::int64_t number = 0;
    const bool is_number = kNumbers.find(kind) != std::string_view::npos;
    if (is_number && (!parse(field, number) || number > kMostNumber || number < -kMostNumber))
      return bad(sentence("found ", shown(field), " where a number was expected"));
    switch (kind) {
    case 'n':
      amounts.sent = std::max<std::int64_t>(number, 0);
      break;
    case 'N':
      amounts.received = std::max<std::int64_t>(number, 0);
      break;
    case 't':
      return take_size(field, amounts.send_size);
    case 'T':
      return take_size(field, amounts.receive_size);
    case 'D':
      words.put(form.dest, number < 0 ? trace::kProcNull : number);
      break;
    case 'S':
      counts_.any_source += number < 0 ? 1 : 0;
      words.put(form.source, number < 0 ? trace::kAnySource : number);
      break;
    case 'g':
      words.put(form.send_tag, number);
      break;
    case 'G':
      words.put(form.receive_tag, number < 0 ? trace::kAnyTag : number);
      break;
    case 'r':
      words.put(form.root, number);
      break;
    case 'C':
      words.put(form.comm, comm_of(field));
      break;
    case '#':
      count_ = number;
      break;
    case 'q':
      fill_request(form, field, words);
      break;
    case 'Q':
      fill_requests(form, field, words);
      break;
    default:
      break;
    }
    return {};
  }

  // Of a call of which no more is read: the last argument that is ID,RANK,SIZE, as it stands behind
  // the datatypes.
  void find_comm(const CallForm& form, const std::vector<std::string_view>& fields,
                 CallWords& words) {
    for (std::size_t i = fields.size(); i-- > 0;) {
      const auto [id, rank, size] = allprof_triple(fields[i]);
      if (rank < 0 || rank >= size) continue;
      words.put(form.comm, comm_of(fields[i]));
      return;
    }
  }

  static Status take_size(std::string_view field, std::int64_t& size) {
    size = allprof_triple(field)[1];
    if (size >= 0 && size < kMostNumber) return {};
    return bad(
        sentence("found ", shown(field), " where a datatype was expected: TYPE,SIZE,EXTENT"));
  }

  std::int64_t comm_of(std::string_view field) {
    const auto [id, rank, size] = allprof_triple(field);
    if (size == ranks_) return trace::kWorldSlot;
    if (size == 1) return trace::kSelfSlot;
    ++counts_.unknown_comms;
    return trace::kNothing;
  }

  // Its address or handle: what the call that made it had, and nothing else.
  void fill_request(const CallForm& form, std::string_view field, CallWords& words) {
    if (form.makes_request()) {
      requests_[std::string(field)] = ++made_;
      return;
    }
    if (form.flag >= 0) {
      ++counts_.open_tests;
      return;
    }
    const auto found = requests_.find(std::string(field));
    counts_.unheard_requests += found == requests_.end() ? 1 : 0;
    words.put(form.request, found == requests_.end()
                                ? trace::kNull
                                : trace::request_by_age(made_ - found->second));
    if (found != requests_.end()) requests_.erase(found);
  }

  // Requests by the addresses that they have in the array: an MPI_Request has 8 bytes, or 4. If
  // none of these is a request's that is known, the call may have waited for a copy of any.
  void fill_requests(const CallForm& form, std::string_view array, CallWords& words) {
    std::vector<std::uint64_t> waited = requests_in(array, 8);
    if (std::vector<std::uint64_t> others = requests_in(array, 4); others.size() > waited.size())
      waited = std::move(others);
    if (waited.empty() && count_ > 0) {
      ++counts_.guessed_waits;
      for (const auto& [handle, number] : requests_) waited.push_back(number);
      std::sort(waited.begin(), waited.end());
    }
    const std::set<std::uint64_t> over(waited.begin(), waited.end());
    std::erase_if(requests_, [&](const auto& one) { return over.contains(one.second); });
    std::vector<std::int64_t> ages;
    for (const std::uint64_t number : waited) ages.push_back(trace::request_by_age(made_ - number));
    words.put(form.requests, program_.array_of(ages));
    words.put(form.request_count, static_cast<std::int64_t>(ages.size()));
  }

  // Numbers of those that stand in the array, in its order.
  std::vector<std::uint64_t> requests_in(std::string_view array, std::uint64_t size) const {
    std::map<std::uint64_t, std::uint64_t> by_address;
    std::uint64_t begin = 0;
    if (!parse(array, begin)) return {};
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(count_, 0)) * size;
    for (const auto& [handle, number] : requests_) {
      std::uint64_t address = 0;
      const bool is_in = parse(std::string_view(handle), address) && address >= begin &&
                         address - begin < bytes && (address - begin) % size == 0;
      if (is_in) by_address.emplace(address, number);
    }
    std::vector<std::uint64_t> found;
    for (const auto& [address, number] : by_address) found.push_back(number);
    return found;
  }

  static constexpr std::int64_t kMostNumber = std::int64_t{1} << 31;
  AllprofCounts& counts_;
  std::int64_t ranks_;
  std::uint64_t base_ns_;
  RankProgram program_;
  std::uint64_t free_ns_ = 0;
  std::uint64_t computation_ns_ = 0;
  std::unordered_map<std::string, NamedCall> names_;
  std::unordered_map<std::string, std::uint64_t> requests_;
  std::uint64_t made_ = 0;
  std::int64_t count_ = 0; // of the requests of the call that is read
};

class AllprofFile {
public:
  static Result<AllprofFile> open(const std::string& path) {
    auto source = open_unpacked(path);
    if (!source) return propagate(source);
    return AllprofFile(std::move(*source), path);
  }

  /// The next line with a call; nothing at the end.
  Result<std::optional<AllprofLine>> next() {
    for (;;) {
      const auto line = lines_.next();
      if (!line) return propagate(line);
      if (line->is_end) return std::optional<AllprofLine>();
      if (line->text.starts_with('#')) heads_.read(line->text);
      if (line->text.empty() || line->text.front() == '#') continue;
      auto call = parse_allprof_line(line->text);
      if (!call && !line->is_whole)
        return placed(
            {ErrorCode::kDamaged, "the file ends in the middle of this line; copy it again", {}});
      if (!call) return placed(call.error());
      return std::optional(std::move(*call));
    }
  }

  tl::unexpected<Error> placed(Error error) const {
    error.place = {lines_.file(), {}, {}, lines_.line()};
    return tl::unexpected<Error>(std::move(error));
  }
  std::uint64_t bytes() const { return lines_.bytes(); }
  /// Those up to the line that was read last.
  const AllprofHeads& heads() const { return heads_; }

private:
  AllprofFile(std::shared_ptr<ByteSource> source, const std::string& path)
      : lines_([source](char* to, std::size_t size) { return source->read(to, size); }, path) {}
  LineReader lines_;
  AllprofHeads heads_;
};

// When the first rank was first heard of, each by its host's clock.
Result<std::uint64_t> first_stamp_ns(const std::vector<std::string>& files) {
  std::uint64_t first_ns = ~std::uint64_t{0};
  for (const std::string& path : files) {
    auto file = AllprofFile::open(path);
    if (!file) return propagate(file);
    const auto line = file->next();
    if (!line) return propagate(line);
    if (!*line) continue;
    const auto ns = (*line)->begin_ns ? (*line)->begin_ns : (*line)->end_ns;
    if (ns) first_ns = std::min(first_ns, *ns);
  }
  return first_ns == ~std::uint64_t{0} ? 0 : first_ns;
}

struct AllprofRun {
  const std::vector<std::string>& files; // by rank
  const ImportOptions& options;
  std::uint64_t base_ns;
};

// When its last call ended.
Result<std::uint64_t> read_allprof_rank(const AllprofRun& run, std::size_t rank,
                                        AllprofCounts& counts, MergeForest& parts, Meter& meter) {
  auto file = AllprofFile::open(run.files[rank]);
  if (!file) return propagate(file);
  const auto number = static_cast<std::int64_t>(rank);
  AllprofRank calls(run.options, counts, number, static_cast<std::int64_t>(run.files.size()),
                    run.base_ns);
  for (;;) {
    const auto line = file->next();
    if (!line) return propagate(line);
    if (!*line) break;
    if (auto added = calls.add(**line); !added) return file->placed(added.error());
  }
  meter.add(file->bytes());
  parts.add({number, 1, calls.finish(file->heads())});
  return calls.end_ns(file->heads());
}

Result<nlohmann::json> read_allprof_share(const AllprofRun& run, const Share& share) {
  Meter meter(run.options.progress, bytes_of(run.files, share));
  std::vector<AllprofCounts> counts(share.end - share.first);
  std::vector<std::uint64_t> ends_ns(counts.size());
  auto read = for_each_side_by_side(counts.size(), [&](std::size_t i) -> Status {
    const auto end_ns = read_allprof_rank(run, share.first + i, counts[i], share.parts, meter);
    if (!end_ns) return propagate(end_ns);
    ends_ns[i] = *end_ns;
    return {};
  });
  if (!read) return propagate(read);
  AllprofCounts all;
  for (const AllprofCounts& of_rank : counts) add_counts(all, of_rank);
  return nlohmann::json{{"counts", said_counts(all)},
                        {"end", *std::max_element(ends_ns.begin(), ends_ns.end())}};
}

Result<Imported> read_allprof_files(const std::vector<std::string>& files, const std::string& name,
                                    const ImportOptions& options) {
  const auto base_ns = first_stamp_ns(files);
  if (!base_ns) return propagate(base_ns);
  const AllprofRun run{files, options, *base_ns};
  auto whole = read_together(options, files.size(),
                             [&](const Share& share) { return read_allprof_share(run, share); });
  if (!whole) return propagate(whole);
  if (!*whole) return Imported{.is_elsewhere = true};
  AllprofCounts all;
  std::uint64_t end_ns = 0;
  for (const nlohmann::json& said : (*whole)->said) {
    add_counts(all, heard_counts<AllprofCounts>(said["counts"]));
    end_ns = std::max<std::uint64_t>(end_ns, said["end"]);
  }
  fold::RecordingPart& part = (*whole)->part;
  set_span(part, end_ns);
  part.run.command = command_line({name});
  part.run.mpi = "liballprof trace";
  part.run.recorder = "rondo " RONDO_VERSION " from liballprof traces";
  part.run.thread_level = -1; // not said
  part.run.ranks = static_cast<std::int64_t>(files.size());
  part.run.start_unix_ns = static_cast<std::int64_t>(*base_ns);
  trace::Trace trace = fold::resolve(std::move(part), options.merges);
  if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
  return Imported{std::move(trace), all.remarks()};
}

} // namespace
} // namespace internal

bool is_allprof(std::string_view start) {
  while (start.starts_with('#') || start.starts_with('\n')) {
    const std::size_t end = start.find('\n');
    if (end == std::string_view::npos) return false;
    start.remove_prefix(end + 1);
  }
  const std::size_t colon = start.find(':');
  const std::string_view name = start.substr(0, colon);
  return colon != std::string_view::npos && name.starts_with("MPI_") && name.size() < 64 &&
         name.find_first_of(" \n") == std::string_view::npos;
}

Result<Imported> read_allprof(const std::string& path, const ImportOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  std::filesystem::path folder = path;
  if (!is_folder) folder = std::filesystem::absolute(path).parent_path();
  const auto files = internal::files_in_folder(folder.string());
  if (!files) return propagate(files);
  const auto named = std::filesystem::absolute(folder).lexically_normal();
  const auto last = named.has_filename() ? named.filename() : named.parent_path().filename();
  return internal::read_allprof_files(*files, last.string(), options);
}

} // namespace rondo::convert
