// The steps of xcli doctor --run: what is tried, under which libraries, for how long, and what it proves. Each step is
// one trial of the platform's probe (src/probe), or one way of it; "torch" is a trial in Python. A platform has the
// steps whose trials and levels its platform.json names. Data alone.
#pragma once

namespace xsched::cli {

enum class Under {
    kNothing,  // natively
    kShim,  // the shim; the program itself suspends and resumes
    kTrace,  // the same, with a log line for each call
    kServer,  // the shim, and an xserver of this run
};

struct Step {
    const char* name;
    const char* trial;  // the probe's
    const char* way;  // a way of the trial; "": it has none
    Under under;
    int level;  // that queues get
    int from_level;  // left out if `--level` is lower
    double share;  // part of --seconds that it measures; less for the main job if time is short
    double patience_s;  // time that it may take beyond that
    const char* proves;
};

// clang-format off: a step, and below it what it proves
inline constexpr Step kSteps[] = {
    {"runtime",     "runtime",    "",        Under::kNothing,  0, 1, 0,   10,
     "which runtime programs get, its version, and whether the process has others"},
    {"device",      "device",     "",        Under::kNothing,  0, 1, 0,   30,
     "a kernel can be made and run, and its result is exact"},
    {"routes",      "routes",     "",        Under::kTrace,    0, 1, 0,   10,
     "the shim sees a launch once, by every route that programs take"},
    {"torch",       "torch",      "",        Under::kShim,     0, 1, 0,   30,
     "PyTorch, if it is installed, can be imported under the shim; which libraries it brings"},
    {"gate",        "gate",       "",        Under::kNothing,  0, 1, 0,   8,
     "a stream can wait for a word in memory; what gates, reports and launches cost"},
    {"sharing",     "sharing",    "gates",   Under::kNothing,  0, 1, 0,   8,
     "which streams share a hardware queue"},
    {"standing",    "standing",   "",        Under::kNothing,  0, 1, 0,   8,
     "how long a call waits beside another thread's synchronize or copy"},
    {"switch",      "switch",     "",        Under::kNothing,  0, 1, 0.05, 10,
     "what the hardware's switch from one process to another costs"},
    {"stop 1",      "suspension", "",        Under::kShim,     1, 1, 0.06, 10,
     "level 1: a suspended queue stops once what is in flight is over"},
    {"pause",       "pause",      "",        Under::kNothing,  0, 2, 0.06, 15,
     "level 2 by SQ_PAUSE of Ascend's driver, without anything of XSched"},
    {"stop 2",      "suspension", "",        Under::kShim,     2, 2, 0.06, 10,
     "level 2: what is in flight does not start"},
    {"way update",  "way",        "update",  Under::kNothing,  0, 3, 0.06, 8,
     "level 3 by UPDATE_QUEUE, without anything of XSched"},
    {"way debug",   "way",        "debug",   Under::kNothing,  0, 3, 0.06, 8,
     "level 3 by DBG_TRAP, without anything of XSched"},
    {"way preempt", "way",        "preempt", Under::kNothing,  0, 3, 0.06, 8,
     "level 3 by PREEMPT_QUEUE of a patched driver, without anything of XSched"},
    {"way mask",    "way",        "mask",    Under::kNothing,  0, 3, 0.06, 16,
     "level 3 by SET_CU_MASK, without anything of XSched: a victim goes on, on few compute units"},
    {"way priority", "way",       "priority", Under::kNothing, 0, 3, 0.06, 16,
     "the hardware's own priority of queues: what the lowest of a victim's leaves an urgent program"},
    {"stop 3",      "suspension", "",        Under::kShim,     3, 3, 0.06, 10,
     "level 3: what runs is taken off and goes on later"},
    {"job alone",   "job",        "alone",   Under::kNothing,  0, 1, 0.5, 8,
     "the urgent program's latency, alone"},
    {"job native",  "job",        "",        Under::kNothing,  0, 1, 1,   8,
     "the same beside a program that keeps the device full"},
    {"job 1",       "job",        "",        Under::kServer,   1, 1, 1,   8,
     "the same under XSched at level 1"},
    {"job 2",       "job",        "",        Under::kServer,   2, 2, 1,   8,
     "the same under XSched at level 2"},
    {"job 3",       "job",        "",        Under::kServer,   3, 3, 1,   8,
     "the same under XSched at level 3"},
};
// clang-format on

}  // namespace xsched::cli
