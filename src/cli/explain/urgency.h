// Tells which programs are more urgent than another one now, and what makes it come first. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/server_link.h"

namespace xsched::cli {

inline constexpr const char* kByPriority = "choose a policy by priority (xcli policy -s HPF)";

// Begins a remedy that the server refuses to an ordinary user: a change of a user's limit.
inline constexpr const char* kByRoot = "root or the server's own user can ";

// Returns whether the server says this of the program on one of its devices.
bool is_said(const Json& program, const char* key, const char* words);
// Returns the priority that counts: the program's own, the highest that a limit leaves it, or the lowest in the
// background.
int64_t counted_priority(const Json& program);
// Returns other programs that have a queue on one of this program's devices.
std::vector<const Json*> neighbours(const Json& answer, const Json& program);
// Returns those of its neighbours that have used a device lately, or do now: an idle one in ten seconds, one that is
// held or suspended in one.
std::vector<const Json*> neighbours_at_work(const Json& answer, const Json& program);
// Returns those of them that share the device with the program: neither has made room for the other lately under the
// policy in force, and under a policy by priority both have the same one.
std::vector<const Json*> equals_at_work(const Json& answer, const Json& program);
// Returns what these have in common, for a sentence: " of its priority"; empty under a policy that does not go by it.
std::string as_equals(const Json& answer);
// Returns whether `other` was held for the program in the last ten seconds under the policy in force.
bool makes_room(const Json& program, const Json& other);
// Returns the program of that process; null: it has ended, or this user may not see it.
const Json* program_of(const Json& answer, int64_t pid);
// Returns whether the policy in force goes by the program's priority and that of the one for which it was held.
bool goes_by_priority(const Json& answer, const Json& program, const Json& by);
// Returns what makes the program come first now. `by`: the program for which it was held. Empty: nothing would change,
// since no program comes before it, or beside it, any longer.
std::string be_more_urgent(const Json& answer, const Json& program, const Json& by);

}  // namespace xsched::cli
