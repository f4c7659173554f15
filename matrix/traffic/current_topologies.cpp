// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/current_topologies.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <algorithm>
#include <string_view>

namespace rondo::matrix::internal {
namespace {

using trace::Call;
using trace::Function;
using trace::MadeTopology;
using trace::Word;

// The words that say which communicator is made, of which one, and with which neighbours.
std::vector<int> topology_words_of(const Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  std::vector<int> words = {means.comm, means.new_comm};
  for (const std::string_view field :
       {"dims", "periods", "remain_dims", "index", "edges", "sources", "degrees", "destinations"})
    words.push_back(function.word_of(field));
  std::erase(words, -1);
  return words;
}

const Function* maker_of(const Call& call) {
  const Function* function = trace::find_function(call.function);
  const bool makes = function != nullptr && call.error == 0 &&
                     trace::meaning_of(*function).topology != MadeTopology::kNone;
  return makes ? function : nullptr;
}

std::int64_t slot_made_by(const std::vector<Word>& words, const trace::CallMeaning& means) {
  return words[static_cast<std::size_t>(means.new_comm)].value;
}

} // namespace

CurrentTopologies::CurrentTopologies(const trace::Program& program) {
  std::map<std::int64_t, std::pair<const Call*, std::vector<Word>>> first; // by slot
  for (const Call& call : program.calls) {
    const Function* function = maker_of(call);
    makers_.push_back(nullptr);
    if (function == nullptr) continue;
    makers_.back() = std::make_unique<Maker>(program, call, topology_words_of(*function));
    const WordReader& reader = makers_.back()->reader;
    const std::int64_t slot = slot_made_by(reader.words(), *makers_.back()->means);
    const auto [known, is_new] = first.emplace(slot, std::pair{&call, reader.words()});
    const bool is_other =
        known->second.first->function != call.function || known->second.second != reader.words();
    differ_ = differ_ || reader.varies() || (!is_new && is_other);
  }
}

void CurrentTopologies::play(std::size_t symbol, std::uint64_t executions) {
  Maker* maker = makers_[symbol].get();
  if (maker == nullptr) return;
  while (executions > 0) {
    const std::uint64_t equal = std::min(executions, maker->reader.left());
    current_[slot_made_by(maker->reader.words(), *maker->means)] = made_by(*maker);
    maker->reader.skip(equal);
    executions -= equal;
  }
}

std::shared_ptr<const TopologyMaker> CurrentTopologies::made_by(Maker& maker) {
  const std::vector<Word>& words = maker.reader.words();
  auto old = of(words, maker.means->comm);
  if (maker.means->topology == MadeTopology::kSame) return old;
  std::vector<std::int64_t> key = {old ? static_cast<std::int64_t>(old->number) : -1};
  for (const Word& word : words) {
    key.push_back(static_cast<std::int64_t>(word.form));
    key.push_back(word.value);
  }
  auto& made = maker.made[std::move(key)];
  if (made == nullptr) {
    const Call call{maker.call->function, 0, maker.call->site, words};
    made = std::make_shared<TopologyMaker>(TopologyMaker{made_++, call, std::move(old)});
  }
  return made;
}

int CurrentTopologies::comm_word_of(const Function& function) const {
  return differ_ && trace::is_neighborhood(function) ? trace::meaning_of(function).comm : -1;
}

std::shared_ptr<const TopologyMaker> CurrentTopologies::of(const std::vector<Word>& words,
                                                           int comm_word) const {
  if (comm_word < 0) return nullptr;
  const auto found = current_.find(words[static_cast<std::size_t>(comm_word)].value);
  return found == current_.end() ? nullptr : found->second;
}

} // namespace rondo::matrix::internal
