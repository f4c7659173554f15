// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/header.hpp"

#include "convert/paraver/fields.hpp"
#include "convert/text/tokens.hpp"

#include <chrono>

namespace rondo::convert::internal {
namespace {

constexpr std::uint64_t kMostTasks = std::uint64_t{1} << 31;

// "09/10/2019 at 16:08", day first; old tools wrote two digits of the year.
std::int64_t unix_ns_of(std::string_view date) {
  Fields fields(date);
  const auto day = fields.number_up_to(31);
  fields.expect('/');
  const auto month = fields.number_up_to(12);
  fields.expect('/');
  auto year = fields.number_up_to(9999);
  if (year < 100) year += year < 70 ? 2000 : 1900;
  for (const char c : {' ', 'a', 't', ' '}) fields.expect(c);
  const auto hour = fields.number_up_to(23);
  fields.expect(':');
  const auto minute = fields.number_up_to(59);
  const std::chrono::year_month_day when{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const bool is_date = !fields.has_failed() && when.ok() && year >= 1970 && year < 2200;
  if (!is_date) return 0;
  const auto at = std::chrono::sys_days(when) + std::chrono::minutes(hour * 60 + minute);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

// "_ns" behind the duration; nothing for microseconds.
bool read_unit(Fields& fields, ParaverHeader& header) {
  if (!fields.take('_')) return true;
  const std::string_view rest = fields.rest();
  const std::string_view unit = rest.substr(0, rest.find(':'));
  for (std::size_t i = 0; i < unit.size(); ++i) fields.take(unit[i]);
  header.unit_ns = unit == "ns" ? 1 : unit == "us" ? 1000 : unit == "ms" ? 1'000'000 : 0;
  if (unit == "sec" || unit == "s") header.unit_ns = 1'000'000'000;
  return header.unit_ns > 0;
}

// "2(48,48)", with the processors of each node, which nothing depends on.
void read_nodes(Fields& fields, ParaverHeader& header) {
  header.nodes = fields.number_up_to(kMostTasks);
  if (!fields.take('(')) return;
  do fields.number();
  while (!fields.has_failed() && fields.take(','));
  fields.expect(')');
}

// "2(1:1,4:2)": threads and node of each task. A node is missing where the tool knew none.
void read_tasks(Fields& fields, ParaverHeader& header) {
  const std::uint64_t count = fields.number_up_to(kMostTasks);
  fields.expect('(');
  do {
    ParaverTask task;
    task.threads = fields.number_up_to(kMostTasks);
    if (fields.take(':')) task.node = fields.number_up_to(kMostTasks);
    if (!fields.has_failed()) header.tasks.push_back(task);
  } while (!fields.has_failed() && fields.take(','));
  fields.expect(')');
  if (header.tasks.size() != count) fields.expect('\0'); // which no line has: it fails
}

} // namespace

Result<ParaverHeader> parse_paraver_header(std::string_view line) {
  constexpr std::string_view kStart = "#Paraver (";
  ParaverHeader header;
  const std::size_t closed = line.find("):");
  if (!line.starts_with(kStart) || closed == std::string_view::npos)
    return bad(
        sentence("found ", shown(line), "; expected \"#Paraver (dd/mm/yyyy at hh:mm):...\""));
  header.start_unix_ns = unix_ns_of(line.substr(kStart.size(), closed - kStart.size()));
  Fields fields(line.substr(closed + 2));
  const std::uint64_t duration = fields.number_up_to(kMostParaverTime_ns);
  if (!read_unit(fields, header))
    return bad("the unit of time is unknown; expected _ns, _us, _ms or none");
  fields.expect(':');
  read_nodes(fields, header);
  fields.expect(':');
  header.applications = fields.number_up_to(kMostTasks);
  fields.expect(':');
  read_tasks(fields, header);
  if (fields.has_failed() || duration > kMostParaverTime_ns / header.unit_ns) {
    return bad(sentence("the header makes no sense at column ",
                        std::to_string(closed + 2 + fields.column()),
                        "; expected DURATION_ns:NODES(CPUS,...):APPLICATIONS:"
                        "TASKS(THREADS:NODE,...)"));
  }
  header.duration_ns = duration * header.unit_ns;
  return header;
}

} // namespace rondo::convert::internal
