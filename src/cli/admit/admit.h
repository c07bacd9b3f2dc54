// xcli admit: says whether all latency targets on a device still hold with a program, by the simulator; and then runs
// it, waits until they do, or refuses. The main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.h"

namespace xsched::cli {

struct AdmitWords {
    RunOptions run;
    bool check = false;  // say it and run nothing
    std::string wait;    // for how long to wait until the targets hold; empty: not at all
    std::string unknown = "refuse";  // or "run": what to do with a program of which nothing is known
    std::string name;    // the program's name at the server; empty: as its command line says
    std::optional<int64_t> device;
    std::string recording;  // what is known of programs, a file of xcli record; the server knows those not in it
    std::string programs;  // take the programs and what is known of them from this file, not from the server
};

// Becomes the program, or returns the exit status: 0 (with --check: it would be admitted), kRefused, or kNobody if too
// little is known.
int admit(const AdmitWords& words, const std::vector<std::string>& program, bool json);

}  // namespace xsched::cli
