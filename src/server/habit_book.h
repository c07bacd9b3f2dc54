// The habits of users' programs in their last runs, by user and name: the next run begins with them. So many for each
// user, and those that ran last. The name is the program's own word: it speaks of its user's programs alone. Kept in
// the checkpoint. Front thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sched/facts/habits.h"

namespace xsched::server {

class HabitBook {
public:
    static constexpr size_t kMostOfUser = 32;
    static constexpr size_t kMost = 256;
    static constexpr size_t kLongestName = 64;  // longer ones are kept by their beginning

    // Nothing known: as one that never ran.
    sched::Habits of(uid_t user, const std::string& program) const;
    // False: nothing was learned of it.
    bool note(uid_t user, const std::string& program, const sched::Habits& habits);

    nlohmann::json to_json() const;
    // Entries that cannot be read are left out.
    void take_up(const nlohmann::json& kept);

private:
    struct Entry {
        uid_t user;
        std::string program;
        sched::Habits habits;
    };
    size_t count_of(uid_t user) const;
    void forget_oldest_of(uid_t user);
    uid_t who_has_most() const;

    std::vector<Entry> entries_;  // the last one noted last
};

}  // namespace xsched::server
