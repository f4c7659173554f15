// SPDX-License-Identifier: Apache-2.0
// The end of a chunk: what is in memory goes to disk, and recording goes on with new programs.
#include "record/recorder.hpp"
#include "rondo/archive/part_codec.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace rondo::record {

// Threads that are in MPI have arrays and texts of their calls in the programs that are about to
// go.
std::vector<Recorder::OpenWord> Recorder::open_words() const {
  std::vector<OpenWord> words;
  for (const auto& stream : streams_) {
    const bool is_open = stream->open.function != 0 && stream->open_call != nullptr;
    if (!is_open || stream->open_call->is_quiet) continue;
    std::size_t place = fold::kEventHead;
    for (const trace::Field& field : trace::find_function(stream->open.function)->fields) {
      if (place >= stream->open.size) break; // the rest comes when MPI is done
      const std::int64_t value = stream->open_event[place];
      const bool is_text = field.kind == trace::FieldKind::kText;
      const bool is_in_table = (is_text || field.is_array) && !trace::is_special(value);
      if (is_in_table && is_text)
        words.push_back({stream.get(), place, {}, stream->program->text_of(value), true});
      if (is_in_table && !is_text)
        words.push_back({stream.get(), place, stream->program->array_of(value), {}, false});
      place += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
    }
  }
  return words;
}

// If it cannot be written, what there is stays in memory until the end, when there may be place for
// it.
void Recorder::write_chunk(std::string&& encoded) {
  if (live) live->forget_definitions(); // they went with the chunk: readers take those of all
  if (parts_.write(encoded, facts_.calls)) return parts_.seal();
  last_words_ = std::move(encoded);
  stop("recording stopped: its memory was used up, and nothing could be written to disk");
  std::fprintf(stderr, "rondo: rank %lld: %s: %s\n", static_cast<long long>(world_rank),
               run_.notes.c_str(), parts_.trouble().c_str());
}

void Recorder::seal() {
  const std::vector<OpenWord> words = open_words();
  write_chunk(archive::encode_part(make_part({trace::Ending::kUnknown, 0}, true)));
  // Of threads that have ended, nothing is left to say, unless others complete their requests.
  const auto is_over = [&](const std::unique_ptr<Stream>& stream) {
    if (stream->program) return false;
    stream->ended.reset();
    stream->ended_calls = 0;
    if (stream->requests > 0) return false;
    calls_of_ended_ += stream->sealed_calls;
    times_of_ended_ += stream->times.all();
    stream->times.add_phases_to(sealed_sums_);
    return true;
  };
  std::erase_if(streams_, is_over);
  for (const auto& stream : streams_) {
    if (stream->program) start_program(*stream);
  }
  for (const OpenWord& word : words) {
    fold::ProgramBuilder& program = *word.stream->program;
    word.stream->open_event[word.place] = word.is_text
                                              ? program.text(word.text)
                                              : program.array(word.array.data(), word.array.size());
  }
}

} // namespace rondo::record
