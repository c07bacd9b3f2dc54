// Being another user, which only root can. Every test goes through here, so that each one finds the build's programs
// where the other user may go (support/open_folders.h).
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/child.h"
#include "support/open_folders.h"

// Skips the test unless it runs as root and other users may reach the built programs: NEEDS_ROOT("to become another
// user").
#define NEEDS_ROOT(purpose)                                    \
    if (geteuid() != 0) GTEST_SKIP() << "needs root " purpose; \
    if (const std::string& why = xsched::test::why_closed(); !why.empty()) GTEST_SKIP() << why

namespace xsched::test {

inline constexpr uid_t kNobody = 65534;

// In a child process: becomes user `uid`, with no other groups than `groups`.
inline bool become(uid_t uid, const std::vector<gid_t>& groups = {}) {
    return setgroups(groups.size(), groups.data()) == 0 && setresgid(uid, uid, uid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}

// Runs `body` in a child process as user `uid`, and returns the result of `body` (0..99).
template <typename Body>
int as_user(uid_t uid, Body body) {
    return in_child([&] { return become(uid) ? body() : 100; });
}

template <typename Body>
int as_nobody(Body body) {
    return as_user(kNobody, body);
}

// Returns the command line that runs `words` as the user "nobody".
inline std::vector<std::string> nobody_runs(std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL"});
    return words;
}

}  // namespace xsched::test
