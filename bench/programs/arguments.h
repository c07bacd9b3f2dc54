// The options of the benchmark programs: --name VALUE pairs. The same options on every platform.
#pragma once

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace busy {

struct Arguments {
    std::string out;          // --out FILE: measurements, one line each
    double seconds = 10;      // --seconds: how long to run
    long bursts = 0;          // --bursts: this many at most, within --seconds (0: by time alone)
    uint32_t steps = 0;       // --steps: of each kernel; 0: calibrate now to --kernel-ms
    double kernel_ms = 1;     // --kernel-ms
    long burst_kernels = 20;  // --burst-kernels
    double pause_ms = 12;     // --pause-ms: from the end of a burst to the next one, at least
    double pause_max_ms = 0;  // --pause-max-ms: at most; the pause is drawn between the two (0: always --pause-ms)
    double period_ms = 0;     // --period-ms: from the begin of a burst to that of the next one; 0: by pauses
    uint32_t seed = 1;        // --seed: of the pauses
    long sync_every = 0;      // --sync-every: wait after this many kernels of a burst; 0: at its end only
    double gap_us = 0;        // --gap-us: the host works this long after each launch
    double announce_ms = 0;   // --announce-ms: tell XSched of each burst so long before it begins; 0: do not
    double hold_ms = 20;      // --hold-ms: how long a suspension lasts
    unsigned waves = 1;       // --waves: threads of each kernel, in times of what the device runs at once
    long depth = 16;          // --depth: kernels kept enqueued
    bool calibrate = false;   // --calibrate 1: print the steps for --kernel-ms and leave
    bool wait = false;        // --wait 1: say "ready" and wait for a line of standard input before using the device
    long turns = 0;           // --turns: so many times --seconds, and "ready" and a line before each and at the end
    bool until_eof = false;   // --until-eof 1: also stop when standard input ends
    std::string stream;       // --stream: which queue of the device; what it may be is the platform's
    std::string lp_out;       // --lp-out, --lp-steps: of the second stream, in programs with two
    uint32_t lp_steps = 0;
};

// Ends the program with a sentence (exit status 2) on anything else.
Arguments parse_arguments(int count, char** values);

// The body of main(): calls `run` with the parsed arguments. If it throws, prints the exception's sentence and
// returns exit status 1.
template <typename Run>
int run_program(const char* name, int count, char** values, Run run) {
    try {
        return run(parse_arguments(count, values));
    } catch (const std::exception& error) {
        fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
}

using Rows = std::vector<std::vector<int64_t>>;
// Writes one line for each row, its numbers separated by blanks. Without a path it writes no file.
void write_rows(const std::string& path, const Rows& rows);

int64_t now_ns();  // CLOCK_MONOTONIC

}  // namespace busy
