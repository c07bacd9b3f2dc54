// Runs commands in every order that OpenCL allows and no other (unless asked to misbehave).
//
// Commands and user events form a graph guarded by one mutex. A command whose dependencies are complete goes to its
// device's executor, a thread that starts with the device's first command (FAKE_CL_CALLBACK_THREAD=inline: to the
// calling thread's own list, run before the call returns). Effects, callbacks and the end of objects happen with no
// lock held.
#pragma once

#include <functional>

#include "fake/opencl/types.h"

namespace fake {

struct Submission {
    cl_command_queue queue;
    cl_command_type type;
    cl_uint wait_count;
    const cl_event* wait_list;
    cl_event* event_out;
    bool blocking = false;
    std::function<cl_int()> action = nullptr;  // the command's effect; its result is the command's status
};

// Everything an enqueue function does after checking its own arguments. `enqueue(..)` waits if blocking.
cl_int enqueue(Submission submission);

cl_int check_wait_list(cl_command_queue queue, cl_uint count, const cl_event* list);
// CL_INVALID_COMMAND_QUEUE for bad handles and on-device queues.
cl_int check_queue(cl_command_queue queue);

void flush(cl_command_queue queue);
void wait_all(cl_command_queue queue);
void wait_for(cl_event event);
// False, and a report, when called from inside an event callback, where waiting is not allowed.
bool may_block(const char* function);

// A user event's status, or a command's end. False if it was set before.
bool set_user_status(cl_event event, cl_int status);
void add_callback(cl_event event, EventCallback callback);
// The program gave its last reference up while something waits: ends the waiters with an error. Reports it.
void abandon_user_event(cl_event event);

Executor* start_executor();
void stop_executor(Executor* executor);

}  // namespace fake
