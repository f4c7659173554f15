// SPDX-License-Identifier: Apache-2.0
#include "logical/text/messages_to_nobody.hpp"

#include "rondo/trace/call_meaning.hpp"

namespace rondo::logical::internal {
namespace {

// Calls visit(peer, count, type), all of them indices of words, for what the function sends and
// for what it receives.
template <class Visit> void each_message(const trace::Function& function, const Visit& visit) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  if (means.dest >= 0 && means.send_count >= 0 && means.send_type >= 0)
    visit(means.dest, means.send_count, means.send_type);
  if (means.source >= 0 && means.receive_count >= 0 && means.receive_type >= 0)
    visit(means.source, means.receive_count, means.receive_type);
}

} // namespace

MessagesToNobody::MessagesToNobody(const trace::Trace& trace) {
  using Form = trace::Word::Form;
  for (const trace::RankClass& of : trace.classes) {
    for (const trace::Call& call : of.program->calls) {
      each_message(*trace::find_function(call.function), [&](int, int count, int type) {
        const trace::Word& size = call.words[static_cast<std::size_t>(count)];
        const trace::Word& what = call.words[static_cast<std::size_t>(type)];
        if (size == trace::Word{Form::kConstant, 0}) return;
        // A type that varies is none of those that all have.
        types_[{call.function, type}].insert(what.form == Form::kConstant ? what.value : 0);
      });
    }
  }
}

void MessagesToNobody::change(const trace::Function& function,
                              std::span<std::int64_t> words) const {
  each_message(function, [&](int peer, int count, int type) {
    std::int64_t& size = words[static_cast<std::size_t>(count)];
    if (words[static_cast<std::size_t>(peer)] != trace::kProcNull || size != 0) return;
    const auto known = types_.find({function.id, type});
    if (known == types_.end() || known->second.size() != 1) return;
    const std::int64_t only = *known->second.begin();
    if (only >= 0) return;
    size = trace::kNothing;
    words[static_cast<std::size_t>(type)] = only;
  });
}

} // namespace rondo::logical::internal
