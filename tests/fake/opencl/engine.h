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

// Does all that an enqueue function does once it has checked its arguments, including the wait if the call is
// blocking.
cl_int enqueue(Submission submission);

cl_int check_wait_list(cl_command_queue queue, cl_uint count, const cl_event* list);
// Returns CL_INVALID_COMMAND_QUEUE for bad handles and on-device queues.
cl_int check_queue(cl_command_queue queue);

void flush(cl_command_queue queue);
void wait_all(cl_command_queue queue);
void wait_for(cl_event event);
// Returns false, after a report, inside an event callback, where waiting is not allowed.
bool may_block(const char* function);

// Sets a user event's status. Returns false if it was set before.
bool set_user_status(cl_event event, cl_int status);
void add_callback(cl_event event, EventCallback callback);
// Called when the program gives up its last reference to a user event while commands wait for it: ends those with an
// error, and reports it.
void abandon_user_event(cl_event event);

Executor* start_executor();
void stop_executor(Executor* executor);

}  // namespace fake
