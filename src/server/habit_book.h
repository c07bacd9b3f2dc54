// Keeps the habits that programs had in their last runs, by user and program name, so that the next run begins with
// them. Each user may have a fixed number of entries; the oldest goes first. A program chooses its own name, so an
// entry counts for that user alone. The book is part of the checkpoint. Front thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sched/facts/habits.h"
#include "server/program_work.h"

namespace xsched::server {

class HabitBook {
public:
    static constexpr size_t kMostOfUser = 32;
    static constexpr size_t kLongestName = 64;  // longer names are cut to this many characters
    static constexpr size_t kMost = 256;

    // Returns the program's habits; those of a new program if none are known.
    sched::Habits of(uid_t user, const std::string& program) const;
    ProgramWork work_of(uid_t user, const std::string& program) const;
    // Returns what is known of the work of each of the user's programs, for tools.
    nlohmann::json works_of(uid_t user) const;
    // Keeps a program's habits and work; of what the run did not teach, what was known before stays. Returns false if
    // it taught nothing.
    bool note(uid_t user, const std::string& program, const sched::Habits& habits, const ProgramWork& work = {});

    nlohmann::json to_json() const;
    // Reads the entries of an earlier server. Entries that cannot be read are left out.
    void take_up(const nlohmann::json& kept);

private:
    struct Entry {
        uid_t user;
        std::string program;
        sched::Habits habits;
        ProgramWork work;
    };
    const Entry* find(uid_t user, const std::string& program) const;
    size_t count_of(uid_t user) const;
    void forget_oldest_of(uid_t user);
    uid_t who_has_most() const;

    std::vector<Entry> entries_;  // in the order in which they were noted
};

}  // namespace xsched::server
