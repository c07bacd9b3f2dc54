// xcli run --pool: stays beside the program as its parent, tells its user when another program has taken the pool with
// it, ends a program that hangs then, and begins it again if asked. The main thread, before there are others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace xsched::cli {

struct PoolWords {
    bool pool = false;          // in the user's pool (cli/pool/pool.h)
    bool urgent = false;  // it has a priority above 0
    int64_t restarts = 0;  // how often the program is begun again after another's fault
    std::string grace = "10s";  // how long it may go on then; as docker stop's
};

// Puts this process into the user's pool and returns none in the child, which is to become the program; in the parent
// the exit status, once the program has ended. Where there is no pool it returns none without a child, after a line
// that says why. `program`: its name.
std::optional<int> run_in_pool(const PoolWords& words, const std::string& program);

}  // namespace xsched::cli
