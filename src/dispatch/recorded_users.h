// Users that have a part of the journal (journal.h): those with clients, and those whose last client left less than the
// kept time ago. Otherwise the users that remain would overwrite the entries of those that left. The dispatcher's
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "dispatch/journal.h"

namespace xsched::dispatch {

class RecordedUsers {
public:
    // Counts one more client of the user.
    void came(const std::shared_ptr<UserLimits>& user) {
        if (user->clients++ == 0 && std::find(users_.begin(), users_.end(), user) == users_.end())
            users_.push_back(user);
    }
    // Counts one client of the user less.
    void left(UserLimits& user, int64_t now_ns) {
        if (--user.clients == 0) user.left_ns = now_ns;
    }
    uint32_t count(int64_t now_ns) {
        due_ns_ = 0;
        std::erase_if(users_, [&](const auto& user) {
            if (user->clients != 0) return false;
            const int64_t over_ns = user->left_ns + Journal::kKeptNs;
            if (over_ns > now_ns) due_ns_ = base::earlier(due_ns_, over_ns);
            return over_ns <= now_ns;
        });
        return static_cast<uint32_t>(users_.size());
    }
    // Returns when count() changes by itself; 0: it does not.
    int64_t due_ns() const { return due_ns_; }

private:
    std::vector<std::shared_ptr<UserLimits>> users_;
    int64_t due_ns_ = 0;
};

}  // namespace xsched::dispatch
