// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/chakra.hpp"
#include "rondo/base/command_line.hpp"
#include "trace/mpi_names.hpp"

#include "convert/calls/rank_program.hpp"
#include "convert/calls/wait_words.hpp"
#include "convert/chakra/groups.hpp"
#include "convert/chakra/nodes.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

struct ChakraCounts {
  std::uint64_t groups = 0;
  std::uint64_t unknown_operations = 0;
  std::uint64_t no_peers = 0;
  std::uint64_t roots = 0;
  std::uint64_t operations = 0;
  std::uint64_t unknown_needs = 0;
  std::uint64_t others = 0; // nodes without time and communication

  std::vector<Remark> remarks() const {
    return counted_remarks({
        {groups, "collective operations of groups",
         "neither comm_group.json nor the traces say who is in them"},
        {unknown_operations, "collective operations of a kind that is not known", "left out"},
        {no_peers, "sends and receives without a peer", "left out"},
        {roots, "collective operations with a root", "the trace does not say which rank"},
        {operations, "reductions", "the trace does not say with which operation"},
        {unknown_needs, "dependencies on nodes that are not there", "left out"},
        {others, "nodes without duration that do not communicate", "left out"},
    });
  }
};

// By the trace's number of the kind.
constexpr std::array<std::string_view, 10> kChakraOperations = {mpi::Iallreduce,
                                                                mpi::Ireduce,
                                                                mpi::Iallgather,
                                                                mpi::Igather,
                                                                mpi::Iscatter,
                                                                mpi::Ibcast,
                                                                mpi::Ialltoall,
                                                                mpi::Ireduce_scatter_block,
                                                                mpi::Ireduce_scatter_block,
                                                                mpi::Ibarrier};
// Whose size is that of all ranks' parts, by the way that ASTRA-sim takes it.
constexpr bool is_divided(std::size_t operation) {
  return operation == 4 || operation == 6 || operation == 7 || operation == 8;
}

// One rank's nodes as calls, in an order that its dependencies allow.
class ChakraRank {
public:
  ChakraRank(const ImportOptions& options, ChakraCounts& counts, const ChakraGroups& groups,
             std::int64_t rank, std::int64_t ranks)
      : counts_(counts), groups_(groups), ranks_(ranks), program_(options, rank, 0, ranks) {
    for (const ChakraGroup* group : groups.groups_of(rank)) {
      const auto& members = group->members;
      const auto place = std::lower_bound(members.begin(), members.end(), rank) - members.begin();
      program_.builder().set_position(group->slot, place,
                                      static_cast<std::int64_t>(members.size()));
    }
    static const CallForm kInit = call_form(mpi::Init);
    record(CallWords(kInit), 0);
  }

  /// @error  kFormat without a place
  Status add(const std::vector<ChakraNode>& nodes) {
    const auto order = order_of(nodes);
    if (order.size() < nodes.size()) {
      return bad(sentence(std::to_string(nodes.size() - order.size()), " of ",
                          std::to_string(nodes.size()), " nodes depend on each other in a circle"));
    }
    for (const std::size_t index : order) {
      if (auto added = begin(nodes[index]); !added) return added;
    }
    return {};
  }

  std::uint64_t end_ns() const { return now_ns_ + computed_ns_; }

  fold::RecordingPart finish(std::uint64_t span_ns) {
    wait_for(open_ids());
    static const CallForm kEnd = call_form(mpi::Finalize);
    record(CallWords(kEnd), 0);
    return program_.finish({.span_ns = span_ns});
  }

private:
  struct Open { // operation under way
    std::uint64_t number = 0; // of its request, from 1
    std::uint64_t duration_ns = 0;
  };

  // Nodes whose dependencies are done begin as they were recorded, else as they stand in the file.
  std::vector<std::size_t> order_of(const std::vector<ChakraNode>& nodes) {
    std::unordered_map<std::uint64_t, std::size_t> by_id;
    for (std::size_t i = 0; i < nodes.size(); ++i) by_id.try_emplace(nodes[i].id, i);
    std::vector<std::vector<std::size_t>> dependents(nodes.size());
    std::vector<std::size_t> missing(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::uint64_t id : nodes[i].needs) {
        const auto found = by_id.find(id);
        counts_.unknown_needs += found == by_id.end() ? 1 : 0;
        if (found == by_id.end()) continue;
        dependents[found->second].push_back(i);
        ++missing[i];
      }
    }
    using Next = std::pair<std::uint64_t, std::size_t>; // start and place in the file
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (missing[i] == 0) next.emplace(nodes[i].start_us, i);
    std::vector<std::size_t> order;
    while (!next.empty()) {
      const std::size_t index = next.top().second;
      next.pop();
      order.push_back(index);
      for (const std::size_t dependent : dependents[index])
        if (--missing[dependent] == 0) next.emplace(nodes[dependent].start_us, dependent);
    }
    return order;
  }

  Status begin(const ChakraNode& node) {
    wait_for(node.needs);
    const std::uint64_t duration_ns = ns_of(node.duration_us);
    switch (node.kind) {
    case ChakraKind::kSend:
    case ChakraKind::kReceive:
      return post(node, duration_ns);
    case ChakraKind::kCollective:
      operate(node, duration_ns);
      return {};
    case ChakraKind::kOther:
      computed_ns_ += duration_ns;
      counts_.others += duration_ns == 0 ? 1 : 0;
      return {};
    }
    return {};
  }

  static std::uint64_t ns_of(std::uint64_t us) {
    constexpr std::uint64_t kMost_us = 9'000'000'000'000; // a hundred days
    return std::min(us, kMost_us) * 1000;
  }

  Status post(const ChakraNode& node, std::uint64_t duration_ns) {
    static const CallForm kSend = call_form(mpi::Isend);
    static const CallForm kReceive = call_form(mpi::Irecv);
    const bool sends = node.kind == ChakraKind::kSend;
    const CallForm& form = sends ? kSend : kReceive;
    if (!node.peer) {
      ++counts_.no_peers;
      return {};
    }
    if (*node.peer < 0 || *node.peer >= ranks_) {
      return bad(sentence("node ", std::to_string(node.id), " has rank ",
                          std::to_string(*node.peer), " as its peer; there are ",
                          std::to_string(ranks_)));
    }
    CallWords words(form);
    words.put(sends ? form.dest : form.source, *node.peer);
    words.put(sends ? form.send_tag : form.receive_tag,
              trace::is_special(node.tag) ? trace::kNothing : node.tag);
    words.put_bytes(sends ? form.send_count : form.receive_count,
                    sends ? form.send_type : form.receive_type, bytes_of(node));
    record(words, 0);
    open_[node.id] = {++made_, duration_ns};
    return {};
  }

  static std::int64_t bytes_of(const ChakraNode& node) {
    const std::int64_t bytes = node.bytes.value_or(trace::kNothing);
    return bytes < 0 ? trace::kNothing : bytes;
  }

  void operate(const ChakraNode& node, std::uint64_t duration_ns) {
    const auto kind = static_cast<std::size_t>(node.operation.value_or(-1));
    if (kind >= kChakraOperations.size()) {
      ++counts_.unknown_operations;
      return;
    }
    const CallForm& form = form_of(kind);
    CallWords words(form);
    const ChakraGroup& group = groups_.find(node.group);
    const bool is_known = group.slot != trace::kNothing;
    counts_.groups += is_known ? 0 : 1;
    if (is_known) words.put(form.comm, group.slot);
    std::int64_t bytes = bytes_of(node);
    if (is_divided(kind) && bytes != trace::kNothing)
      bytes = is_known ? bytes / size_of(group) : trace::kNothing;
    words.put_bytes(form.send_count, form.send_type, bytes);
    words.put_bytes(form.receive_count, form.receive_type, bytes);
    const std::optional<std::int64_t> root = is_known ? root_of(node, group) : std::nullopt;
    if (root) words.put(form.root, *root);
    counts_.roots += form.root >= 0 && !root ? 1 : 0;
    counts_.operations += form.has_operation ? 1 : 0;
    record(words, 0);
    open_[node.id] = {++made_, duration_ns};
  }

  std::int64_t size_of(const ChakraGroup& group) const {
    return group.slot == trace::kWorldSlot ? ranks_
                                           : static_cast<std::int64_t>(group.members.size());
  }

  // A node has the rank among all ranks, MPI's call that among the members.
  std::optional<std::int64_t> root_of(const ChakraNode& node, const ChakraGroup& group) const {
    if (!node.root || *node.root < 0 || *node.root >= ranks_) return std::nullopt;
    if (group.slot == trace::kWorldSlot) return node.root;
    const auto& members = group.members;
    const auto place = std::lower_bound(members.begin(), members.end(), *node.root);
    if (place == members.end() || *place != *node.root) return std::nullopt;
    return place - members.begin();
  }

  static const CallForm& form_of(std::size_t kind) {
    static const auto kForms = [] {
      std::array<CallForm, kChakraOperations.size()> forms;
      for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = call_form(kChakraOperations[i]);
      return forms;
    }();
    return kForms[kind];
  }

  std::vector<std::uint64_t> open_ids() const {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, open] : open_) ids.push_back(id);
    return ids;
  }

  // For those of the nodes that are under way, in the order in which they began.
  void wait_for(const std::vector<std::uint64_t>& ids) {
    std::vector<std::uint64_t> numbers;
    std::uint64_t longest_ns = 0;
    for (const std::uint64_t id : ids) {
      const auto found = open_.find(id);
      if (found == open_.end()) continue;
      numbers.push_back(found->second.number);
      longest_ns = std::max(longest_ns, found->second.duration_ns);
      open_.erase(found);
    }
    if (numbers.empty()) return;
    record(wait_words(program_, made_, numbers), longest_ns);
  }

  void record(const CallWords& words, std::uint64_t inside_ns) {
    now_ns_ += computed_ns_;
    program_.record(words.event, {now_ns_, now_ns_ + inside_ns, std::exchange(computed_ns_, 0)});
    now_ns_ += inside_ns;
  }

  ChakraCounts& counts_;
  const ChakraGroups& groups_;
  std::int64_t ranks_;
  RankProgram program_;
  std::map<std::uint64_t, Open> open_; // by id of the node
  std::uint64_t made_ = 0; // requests
  std::uint64_t computed_ns_ = 0; // since the last call
  std::uint64_t now_ns_ = 0;
};

// "run/et.12.et": "run/et" and 12.
struct ChakraName {
  std::string prefix;
  std::uint64_t rank = 0;
};
std::optional<ChakraName> chakra_name(const std::string& path) {
  if (!path.ends_with(".et")) return std::nullopt;
  const std::string stem = path.substr(0, path.size() - 3);
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  ChakraName name{stem.substr(0, dot), 0};
  if (!parse(std::string_view(stem).substr(dot + 1), name.rank)) return std::nullopt;
  return name;
}

// All files of the trace that this one is of, by rank.
Result<std::vector<std::string>> chakra_files(const std::string& path) {
  const auto wanted = chakra_name(path);
  if (!wanted)
    return fail(ErrorCode::kFormat, "is a Chakra trace by its end; expected PREFIX.RANK.et",
                {path, {}, {}, {}});
  std::map<std::uint64_t, std::string> files;
  std::error_code error;
  const fs::path folder = fs::absolute(path).parent_path();
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = chakra_name(entry.path().string());
    if (name && fs::path(name->prefix).filename() == fs::path(wanted->prefix).filename())
      files[name->rank] = entry.path().string();
  }
  std::vector<std::string> sorted;
  for (auto& [rank, file] : files) {
    if (rank != sorted.size())
      return fail(ErrorCode::kNotFound,
                  sentence("rank ", std::to_string(sorted.size()), " has no file ", wanted->prefix,
                           ".", std::to_string(sorted.size()), ".et"),
                  {path, {}, {}, {}});
    sorted.push_back(std::move(file));
  }
  if (sorted.empty()) return fail(ErrorCode::kNotFound, "is not there", {path, {}, {}, {}});
  return sorted;
}

tl::unexpected<Error> placed(Error error, const std::string& path) {
  error.place.file = path;
  return tl::unexpected<Error>(std::move(error));
}

Result<std::vector<ChakraNode>> nodes_of(const std::string& path) {
  const auto bytes = map_file(path);
  if (!bytes) return propagate(bytes);
  Budget budget = Budget::of_file(bytes->view.size());
  auto nodes = parse_chakra(bytes->view, budget);
  if (!nodes) return placed(nodes.error(), path);
  return nodes;
}

// The members of groups, from the file that generators of traces write beside them.
Status read_group_file(const fs::path& folder, ChakraGroups& groups) {
  const std::string path = (folder / "comm_group.json").string();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const auto bytes = map_file(path);
  if (!bytes) return propagate(bytes);
  if (auto read = groups.read_members(bytes->view); !read) return placed(read.error(), path);
  return {};
}

Result<ChakraGroups> groups_of(const std::vector<std::string>& files) {
  ChakraGroups groups(static_cast<std::int64_t>(files.size()));
  if (auto read = read_group_file(fs::absolute(files.front()).parent_path(), groups); !read)
    return propagate(read);
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const auto nodes = nodes_of(files[rank]);
    if (!nodes) return propagate(nodes);
    groups.count(static_cast<std::int64_t>(rank), *nodes);
  }
  groups.settle();
  return groups;
}

} // namespace
} // namespace internal

bool is_chakra(std::string_view name, std::string_view start) {
  // The metadata begins with its version, or with an attribute, or is empty.
  const bool is_metadata =
      start.size() > 1 && (start[0] == 0 || start[1] == 0x0a || start[1] == 0x12 || start[0] < 0);
  return is_metadata && internal::chakra_name(std::string(name)).has_value();
}

std::string chakra_file_in(const std::string& folder) {
  std::error_code error;
  std::string first;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (internal::chakra_name(path) && (first.empty() || path < first)) first = path;
  }
  return first;
}

Result<Imported> read_chakra(const std::string& path, const ImportOptions& options) {
  using namespace internal;
  std::error_code error;
  const std::string one = fs::is_directory(path, error) ? chakra_file_in(path) : path;
  const auto files = chakra_files(one);
  if (!files) return propagate(files);
  const auto groups = groups_of(*files);
  if (!groups) return propagate(groups);
  ChakraCounts counts;
  std::vector<std::unique_ptr<ChakraRank>> ranks;
  std::uint64_t span_ns = 0;
  for (const std::string& file : *files) {
    ranks.push_back(std::make_unique<ChakraRank>(options, counts, *groups,
                                                 static_cast<std::int64_t>(ranks.size()),
                                                 static_cast<std::int64_t>(files->size())));
    const auto nodes = nodes_of(file);
    if (!nodes) return propagate(nodes);
    if (auto added = ranks.back()->add(*nodes); !added) return placed(added.error(), file);
    span_ns = std::max(span_ns, ranks.back()->end_ns());
    if (options.progress) options.progress(ranks.size(), files->size());
  }
  std::vector<fold::RecordingPart> parts;
  for (auto& rank : ranks) parts.push_back(rank->finish(span_ns));
  parts.front().tables.comms = groups->definitions();
  fold::RecordingPart whole = merge_parts(parts, options.merges);
  whole.run.command = command_line({fs::path(chakra_name(one)->prefix).filename().string()});
  whole.run.mpi = "Chakra trace";
  whole.run.recorder = "rondo " RONDO_VERSION " from Chakra traces";
  whole.run.thread_level = -1; // not said
  whole.run.ranks = static_cast<std::int64_t>(files->size());
  return Imported{fold::resolve(std::move(whole), options.merges), counts.remarks()};
}

} // namespace rondo::convert
