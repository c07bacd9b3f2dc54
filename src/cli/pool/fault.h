// A pool's fault, written down for all that were in the pool: what happened, which programs failed by themselves,
// and what became of the others. The pool's last fault is kept in its folder. Each xcli run of the pool reads and adds
// to it under the pool's lock. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Returns the pool's folder, which need not be there; empty: XSched has no folder of this user's. `make`: makes the
// folder that it is in.
std::string pool_folder(bool make);

// Held while the pool's service is started or ended, or its fault is written.
class PoolLock {
public:
    explicit PoolLock(const std::string& folder);

private:
    base::UniqueFd file_;
};

struct PoolFault {
    static constexpr const char* kFault =
        "fault";  // a program's fault on the device, which its context has not outlasted
    static constexpr const char* kEnded = "ended";  // the MPS server has ended
    static constexpr const char* kStopped = "stopped";  // by 'xcli pool stop'

    struct Member {
        int64_t pid = 0;
        std::string program;
        std::string outcome;  // "ended with status 1", "was begun again as pid 12"
    };

    std::string kind = kFault;
    int64_t at_ms = 0;  // since 1970
    int64_t server = 0;  // the MPS server that it happened to
    std::vector<Member> failed;  // by themselves, at about that time: one of them caused the fault
    std::vector<Member> neighbours;

    // Returns whether the program caused the fault, as far as MPS shows: no other has failed by itself.
    bool is_caused_by(int64_t pid) const { return failed.size() == 1 && failed.front().pid == pid; }
    // "it had a device fault at 10:42:07 UTC, which a.py (pid 12) caused: it ended with status 1"
    std::string text() const;
    Json json() const;
};

int64_t wall_clock_ms();

class FaultBook {
public:
    explicit FaultBook(std::string folder) : folder_(std::move(folder)) {}

    std::string path() const { return folder_ + "/fault.json"; }
    // Returns the last fault, if there was one.
    std::optional<PoolFault> read() const;
    // Writes the fault down, or adds what has failed to what another program has written since `since_ms`. Returns what
    // is written now.
    PoolFault note(const PoolFault& seen, int64_t since_ms) const;
    // Writes down what became of a neighbour, instead of what was written of it before.
    void tell(const PoolFault& fault, const PoolFault::Member& neighbour) const;

private:
    void write(const PoolFault& fault) const;
    std::string folder_;
};

// Returns what the user's pool knows of a process that was in it when it failed; empty: nothing. For xcli explain.
std::string pool_sentence(int64_t pid);

}  // namespace xsched::cli
