// The two loops of the main job, over a BusyDevice.
#pragma once

#include <functional>

#include "arguments.h"
#include "busy_device.h"

namespace busy {

// One burst of short kernels, like a server's answer to a request. Returns start (ns) and latency (ns).
std::vector<int64_t> run_burst(BusyDevice& device, const Arguments& arguments);
// Bursts with pauses between them, for as long as the arguments say; calls `ready` after a few that do not count, and
// `announce` (if it is one) --announce-ms before each begins, with how many microseconds that is.
Rows run_bursts(BusyDevice& device, const Arguments& arguments, const std::function<void()>& ready,
                const std::function<void(int64_t)>& announce = nullptr);

// Long kernels without end, `depth` of them enqueued ahead, like a training run; until `go_on` says no. Calls `ready`
// once the device is full. Returns when each kernel was seen complete (ns), but for the last `depth`.
Rows keep_full(BusyDevice& device, const Arguments& arguments, const std::function<bool()>& go_on,
               const std::function<void()>& ready);

// Returns a `go_on` for the loops: true until `seconds` are over or, with that argument, until standard input ends.
std::function<bool()> until_end(const Arguments& arguments);
// For `ready`: a line on standard output.
void say_ready();
void wait_for_turn();  // says it, and waits for a line, or the end, of standard input

// Writes the rows to --out. Returns the program's exit status: 1, with a sentence, if a result is wrong.
int report(const char* program, BusyDevice& device, const Arguments& arguments, const Rows& rows);

}  // namespace busy
