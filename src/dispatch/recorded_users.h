// Users that have a part of the journal (journal.h): users that have clients, and those whose last client left within
// the time that is kept. Otherwise whoever is left alone would replace what is kept of them. The dispatcher's thread.
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
    // The user has one client more.
    void came(const std::shared_ptr<UserLimits>& user) {
        if (user->clients++ == 0 && std::find(users_.begin(), users_.end(), user) == users_.end())
            users_.push_back(user);
    }
    // Or one less.
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
    // When count() changes by itself; 0: it does not.
    int64_t due_ns() const { return due_ns_; }

private:
    std::vector<std::shared_ptr<UserLimits>> users_;
    int64_t due_ns_ = 0;
};

}  // namespace xsched::dispatch
