// Being another user, which only root can.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/child.h"

// Skips the test unless it runs as root: NEEDS_ROOT("to become another user").
#define NEEDS_ROOT(purpose) \
    if (geteuid() != 0) GTEST_SKIP() << "needs root " purpose

namespace xsched::test {

inline constexpr uid_t kNobody = 65534;

// In a child: from here on it is this user, of no group.
inline bool become(uid_t uid) {
    return setgroups(0, nullptr) == 0 && setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0;
}

// Runs `body` in a child as that user; its result (0..99).
template <typename Body>
int as_user(uid_t uid, Body body) {
    return in_child([&] { return become(uid) ? body() : 100; });
}

template <typename Body>
int as_nobody(Body body) {
    return as_user(kNobody, body);
}

// The command line that runs `words` as nobody.
inline std::vector<std::string> nobody_runs(std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL"});
    return words;
}

}  // namespace xsched::test
