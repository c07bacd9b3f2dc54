// Runs another trial of this probe as a child program. It is in this process's group, which xcli ends as a whole. One
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

    // Waits until the program says that it is ready. If the program ends first, throws as found() does, with the
    // program's sentence behind `who`.
    void wait_until_ready(const char* who);
    // Sends the program a letter through its standard input.
    void tell(char letter);
    // Ends the program's standard input and returns what it prints last.
    Json found(const char* who);

private:
    std::string line();
    void end_input();

    pid_t pid_ = 0;
    int input_ = -1;
    FILE* output_ = nullptr;
};

// Runs the main job's urgent program to its end and returns its result.
Json urgent_found(const Settings& settings);

}  // namespace xsched::probe
