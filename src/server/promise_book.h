// Keeps score of the promises of `xcli admit`: which program was promised how long its requests take at most, and how
// many of its requests were in time. The score outlives the programs; the oldest ones that are over are forgotten
// first. It is part of the checkpoint. Front thread.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xsched::server {

// How many requests ended while there was a target, and how many of them were late.
struct Punctuality {
    uint64_t requests = 0;
    uint64_t late = 0;
    // 99 of 100 are in time.
    bool keeps() const { return late * 100 <= requests; }
};

struct Promise {
    uid_t user = 0;
    pid_t pid = 0;
    std::string program;
    int64_t target_us = 0;
    int64_t predicted_us = 0;
    nlohmann::json hints;  // what the program is given
    Punctuality past;  // of clients that are gone
    std::vector<uint32_t> clients;  // that are there
    bool came = false;
    bool ended = false;  // its process has ended
};

class PromiseBook {
public:
    static constexpr size_t kMost = 128;  // safety: they fit into the checkpoint beside all else
    static constexpr size_t kMostOfUser = 32;

    // Returns false if the user has too many promises that are not over. If all users together have too many, the one
    // with most loses its oldest.
    bool add(Promise promise);
    // Notes a client that has come, if its process or an ancestor, `pid`, was promised something.
    void came(pid_t pid, uint32_t client);
    // Notes that a client has left, and how punctual it was. Returns whether a promise was made to it.
    bool left(uint32_t client, const Punctuality& punctuality);
    // Notes that a process has ended. Returns whether a promise was made to it.
    bool ended(pid_t pid);

    const std::vector<Promise>& promises() const { return promises_; }
    // Returns how many promises to programs that have ended were kept, and how many were not, also of those that are
    // forgotten.
    uint64_t kept() const { return kept_; }
    uint64_t broken() const { return broken_; }

    nlohmann::json to_json() const;
    // Reads the entries of an earlier server. Its programs may come back as clients.
    void take_up(const nlohmann::json& kept);

private:
    Promise* find(pid_t pid);
    size_t count_of(uid_t user) const;
    bool forget(uid_t user, bool also_others);
    void settle(Promise& promise);

    std::vector<Promise> promises_;  // in the order in which they were made
    uint64_t kept_ = 0;
    uint64_t broken_ = 0;
};

}  // namespace xsched::server
