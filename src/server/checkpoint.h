// Orders that people gave at run time, kept so that a server started after a crash continues with them: the policy, the
// programs suspended with xcli, and the programs that the server waits for. Hints are not kept here: each client keeps
// its own.
//
// The text lies in memory that the supervisor keeps (CheckpointArea), in two copies. The copy in force is never written
// to, so a server may be killed at any moment. Without a supervisor the text lasts as long as the server, for clients
// that lose their connection and come back. The server's main thread alone.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xsched::server {

// Shares and limits of control groups: those that administrators set, and those that the groups' owners set.
inline constexpr const char* kUsersRules = "users_rules";  // by program (rules/rule_book.h)
inline constexpr const char* kHabits = "habits";  // of programs (habit_book.h)
inline constexpr const char* kPromises = "promises";  // to programs (promise_book.h)
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
    std::atomic<uint32_t> written;  // number of writes; the copy in force is number written % 2; 0: nothing was written
                                    // yet
    Copy copies[2];
};

class Checkpoint {
public:
    // Reads what an earlier server has left in `area`. `area` null: the text is not kept beyond this server.
    explicit Checkpoint(CheckpointArea* area);

    // Returns the policy that a person chose at run time; empty: none was chosen.
    std::string policy() const { return state_.value("policy", ""); }
    void note_policy(const std::string& name);
    // Notes that a person suspended or resumed a queue. `queue` 0: the whole process, and its memory.
    void note_suspended(pid_t pid, uint64_t queue, bool suspended);
    // Notes that a person sent the process's memory to the host. Its queues are suspended no longer.
    // `by_driver`: by the driver's checkpoint.
    void note_memory_away(pid_t pid, bool by_driver = false);
    void note_expected(pid_t pid);
    // Returns the processes that the earlier server waited for and that still live.
    std::vector<pid_t> expected() const;
    // Keeps any other value that must survive, under the caller's name for it.
    void note(const char* name, nlohmann::json value);
    nlohmann::json value(const char* name) const { return state_.value(name, nlohmann::json()); }

    // Notes that a client has connected: if its queues were suspended before the crash, they must be suspended again;
    // if its memory was sent to the host, it must stay there.
    void client_came(uint32_t client, pid_t pid, int64_t now_ns);
    // Returns when to suspend again (a client's queues come a moment after it); 0: nothing to suspend.
    int64_t due_ns() const { return wanted_.empty() ? 0 : due_ns_; }
    // A person's order of which the client must be told.
    struct Wanted {
        uint32_t client;
        uint64_t queue;  // 0: all of the client's
        bool memory;  // its memory goes to the host, instead
        bool by_driver;  // its memory was moved by the driver's checkpoint, and is away already
        int64_t give_up_ns;
    };
    // Suspends again what was suspended. `give` returns whether there is such a client and queue.
    void suspend_again(const std::function<bool(const Wanted&)>& give, int64_t now_ns);

private:
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

// Returns the process's parent; 0: it has none.
pid_t parent_of(pid_t pid);
// Returns when the process began, in the kernel's ticks. Pid and start together name a process for good. Returns 0 if
// there is no such process.
uint64_t start_of(pid_t pid);
// The start time of a process of which the system does not tell it in time (system_files.h). Such a process is taken
// for the same one.
inline constexpr uint64_t kUnknownStart = UINT64_MAX;
inline bool is_same_start(uint64_t now, uint64_t noted) {
    return now == noted || now == kUnknownStart || noted == kUnknownStart;
}

}  // namespace xsched::server
