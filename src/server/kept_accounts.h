// The accounts on which shares rest (policy::Ahead), in memory that the supervisor keeps, so that a restarted server
// continues with them. There are two copies; the one in force is never written to. The scheduling thread writes them.
// The next server reads them before it starts that thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "policy/policy.h"

namespace xsched::server {

struct KeptAccounts {
    static constexpr size_t kMost = 1024;  // accounts beyond this number start from zero
    struct Copy {
        uint32_t count;
        policy::Ahead accounts[kMost];
    };
    std::atomic<uint32_t> written;  // number of writes; the copy in force is number written % 2; 0: nothing was written
                                    // yet
    Copy copies[2];

    void keep(std::span<const policy::Ahead> accounts) {
        const uint32_t next = written.load(std::memory_order_relaxed) + 1;
        Copy& copy = copies[next % 2];
        copy.count = static_cast<uint32_t>(std::min(accounts.size(), kMost));
        std::copy_n(accounts.begin(), copy.count, copy.accounts);
        written.store(next, std::memory_order_release);
    }
    std::span<const policy::Ahead> kept() const {
        const uint32_t number = written.load(std::memory_order_acquire);
        if (number == 0) return {};
        const Copy& copy = copies[number % 2];
        return {copy.accounts, std::min<size_t>(copy.count, kMost)};
    }
};

}  // namespace xsched::server
