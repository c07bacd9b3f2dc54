// The orders of people at run time, so that the server started after a crash goes on as the one before: the policy, the
// programs suspended with xcli, and the programs it waits for. Hints are not here: clients keep their own.
//
// It lives in memory that the supervisor keeps (CheckpointArea), as two copies: the one in force is never written to,
// so that a server may be killed at any moment. Without a supervisor it holds for clients that lose their connection
// and come back. One thread, the server's.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xsched::server {

// Shares and limits of control groups: what administrators said, and what their owners did.
inline constexpr const char* kHabits = "habits";  // of programs (habit_book.h)
inline constexpr const char* kGroupsOfTrusted = "groups";
inline constexpr const char* kGroupsOfUsers = "users_groups";

struct CheckpointArea {
    static constexpr size_t kMostBytes = 256 << 10;
    struct Copy {
        uint32_t version;
        uint32_t bytes;
        uint64_t hash;
        char text[kMostBytes];
    };
    std::atomic<uint32_t> written;  // how often; the copy in force is number written % 2, and 0 is none
    Copy copies[2];
};

class Checkpoint {
public:
    // Takes over what a server before this one has left in `area`; null: nothing is kept.
    explicit Checkpoint(CheckpointArea* area);

    // Empty: nobody changed it.
    std::string policy() const { return state_.value("policy", ""); }
    void note_policy(const std::string& name);
    // `queue` 0: the whole process.
    void note_suspended(pid_t pid, uint64_t queue, bool suspended);
    void note_expected(pid_t pid);
    // Those of the server before that still live.
    std::vector<pid_t> expected() const;
    // Anything else that must survive, under a name of its own.
    void note(const char* name, nlohmann::json value);
    nlohmann::json value(const char* name) const { return state_.value(name, nlohmann::json()); }

    // A client has come: its queues that were suspended must be suspended again.
    void client_came(uint32_t client, pid_t pid, int64_t now_ns);
    // When to suspend again (its queues come a moment after a client); 0: nothing to suspend.
    int64_t due_ns() const { return wanted_.empty() ? 0 : due_ns_; }
    // `set_suspended_by_person` says whether there is such a client and queue; 0: all of the client's.
    void suspend_again(const std::function<bool(uint32_t client, uint64_t queue)>& set_suspended_by_person,
                       int64_t now_ns);

private:
    struct Wanted {
        uint32_t client;
        uint64_t queue;
        int64_t give_up_ns;
    };
    void load();
    void save();
    std::string text_that_fits(size_t most);
    nlohmann::json& list(const char* name);

    CheckpointArea* area_;
    nlohmann::json state_ = nlohmann::json::object();
    std::vector<Wanted> wanted_;
    int64_t due_ns_ = 0;
    bool told_full_ = false;
};

// The process that started it; 0: there is none.
pid_t parent_of(pid_t pid);
// When the process began, in the kernel's ticks: with its number it names a process for good. 0: there is none.
uint64_t start_of(pid_t pid);
// The system does not say in time (system_files.h): such a process counts as the same.
inline constexpr uint64_t kUnknownStart = UINT64_MAX;
inline bool is_same_start(uint64_t now, uint64_t noted) {
    return now == noted || now == kUnknownStart || noted == kUnknownStart;
}

}  // namespace xsched::server
