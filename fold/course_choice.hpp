// SPDX-License-Identifier: Apache-2.0
// Which of the courses of computation are worth their bytes.
#pragma once

#include "rondo/trace/times.hpp"

#include <cstdint>
#include <vector>

namespace rondo::fold {

/// Drops courses by which no rank's time changes much: those of places that vary little, or take
/// little.
/// @param computation_ns   of one rank, in all
void drop_dull_courses(std::vector<trace::PlaceTimes>& times, double computation_ns);

/// Of more than some 32 ranks keeps about as many: the same however they came together.
/// @param ranks   in all
void drop_surplus_ranks(std::vector<trace::RankCourse>& courses, std::int64_t ranks);

/// Whether blocks of a place go at paces of their own, as where work moves about between ranks:
/// four blocks hardly say how unequally these share it, as their sums are not the ranks'.
bool have_paces(const std::vector<std::vector<trace::RankCourse>*>& of_classes);

/// Makes the courses of one place as short as they may be. Ranks that go through it together need
/// some passes to tell how much they wait for each other; where they take different numbers of
/// passes, as workers of a master do, it is the times that decide who gets what, and all of them
/// are needed.
/// @param of_classes   of that place, in all classes
void shorten_courses(const std::vector<std::vector<trace::RankCourse>*>& of_classes);

/// Leaves so few passes in all that archives grow by some kB at most, however many ranks, places
/// and classes there are: the places that vary most come first, the others have fewer or none.
/// @param places   the courses of each, in all classes
void keep_to_room(std::vector<std::vector<std::vector<trace::RankCourse>*>> places);

} // namespace rondo::fold
