// The options of `xcli run`, as the command line gave them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/hint_words.h"
#include "cli/pool/in_pool.h"

namespace xsched::cli {

// The log level of a program that xcli starts, whose standard error is its own, unless a person asked for another.
inline constexpr const char* kRunLogLevel = "WARN";

struct RunOptions {
    HintWords hints;
    std::optional<int64_t> level;
    std::optional<int64_t> threshold;
    std::optional<int64_t> batch_size;
    std::string policy;
    std::string scheduler = "global";
    std::string log_level;  // empty: kRunLogLevel, unless XLOG_LEVEL or XLOG_FILE is set
    PoolWords in_pool;
    bool promised = false;  // by xcli admit: its latency target counts under every policy
    std::function<void()> promise;  // tells the server of the promise, in the process that becomes the program
    bool tells = false;   // says at the program's end if it was not scheduled; otherwise says where to see it
    bool leaves = false;  // do not say it, although standard error is a terminal
};

}  // namespace xsched::cli
