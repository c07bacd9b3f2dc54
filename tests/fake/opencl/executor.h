// The threads of the platform: one per device that runs commands, and one that calls callbacks where that is asked
// for. They are detached and never end before the process, except a sub-device's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "fake/opencl/types.h"

namespace fake {

std::mutex& graph_mutex();
void run_command(cl_event event);  // engine.cpp
uint64_t clock_ns();
void delay_randomly();  // FAKE_CL_DELAY_US

// Calls `due` on the thread that FAKE_CL_CALLBACK_THREAD names. No lock held.
void call_back(cl_event event, std::vector<EventCallback> due, cl_int status);

class Executor {
public:
    Executor();
    void push(cl_event event);  // graph mutex held
    void stop();                // the thread ends, and frees this, when nothing is ready any more

private:
    void loop();
    std::condition_variable wake_;
    std::deque<cl_event> ready_;  // under the graph's mutex
    bool started_ = false;        // under the graph's mutex
    bool stop_ = false;           // under the graph's mutex
};

}  // namespace fake
