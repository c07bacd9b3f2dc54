// Another trial of this probe, as a program beside it. It is in this process's group, which ends as a whole. One
// thread.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>

#include "probe/trial.h"

namespace xsched::probe {

class Program {
public:
    Program(const char* trial, const Settings& settings);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    // Throws, as found() does, if it ends before, with its sentence; `who` begins that.
    void wait_until_ready(const char* who);
    // Sends it a letter; it reads them from its standard input.
    void tell(char letter);
    // Ends its standard input and returns what it prints at its end.
    Json found(const char* who);

private:
    std::string line();
    void end_input();

    pid_t pid_ = 0;
    int input_ = -1;
    FILE* output_ = nullptr;
};

// The main job's urgent program, run to its end.
Json urgent_found(const Settings& settings);

}  // namespace xsched::probe
