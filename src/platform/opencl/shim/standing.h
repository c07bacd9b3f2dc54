// Waits that a queue's device does not end (queue/standing.h), as OpenCL's calls have them: a user event that is not
// set, an event that another interface made (OpenGL's), an event of another device's queue, an event of a command that
// stands itself, a semaphore. On the caller's thread, and on those that the driver calls back on; no lock is held
// across a call into the driver.
#pragma once

#include "base/no_copies.h"
#include "platform/opencl/hal/api.h"
#include "queue/abi/queue_abi.h"

namespace xsched::opencl {

// Notes that the next command of the queue waits for these events, and returns the stand; 0: the device itself ends all
// of them.
XqStand begin_stand(XqQueue* queue, cl_uint count, const cl_event* events, bool blocks_all);

// Notes that the program is about to set the event: commands that wait for nothing else no longer stand.
void user_event_is_set(cl_event event);

// A wait command of the program: it does no work and is not admitted like others.
class WaitCommand : base::NoCopies {
public:
    enum class Kind {
        kMarker,  // in a queue that keeps order what follows waits for it, else its event alone tells
        kBarrier,  // what follows waits for it
        kSemaphores  // waits for semaphores, of which only its own event tells
    };
    WaitCommand(cl_command_queue queue, cl_uint count, const cl_event* events, Kind kind);
    // Returns where the driver must store the command's event. `wanted`: where the program wants it; null: nowhere.
    cl_event* event(cl_event* wanted) {
        event_ = wanted != nullptr || !until_event_ ? wanted : &own_;
        return event_;
    }
    // Notes that the driver's call has returned.
    void returned(bool succeeded);

private:
    static void note_standing(cl_event event);
    void end_with(cl_event event) const;

    XqQueue* queue_ = nullptr;
    XqStand stand_ = 0;
    bool until_event_ = false;  // the stand is over once the command's own event is complete
    cl_event* event_ = nullptr;
    cl_event own_ = nullptr;
};

}  // namespace xsched::opencl
