// The file of xcli record, as xsim replay and others read it: refused with a sentence, or read as it will be written.
#include <stdexcept>
#include <string>

#include "fuzz/target.h"
#include "ipc/recording.h"
#include "sim/replay.h"

namespace xsched::fuzz::recording_target {

XSCHED_FUZZ(recording) {
    ipc::Recording recording;
    try {
        recording = ipc::read_recording(input);
    } catch (const std::runtime_error&) {
        return;
    }
    demand(ipc::read_recording(ipc::write_recording(recording)) == recording, "what is written is read again");
    try {
        const sim::Workload workload = sim::replay_workload(recording);
        demand(workload.programs.size() <= recording.queues.size(), "a queue becomes a program at most");
        for (const sim::ProgramSpec& program : workload.programs)
            for (const sim::ReplayBurst& burst : program.replay)
                demand(burst.gap_ns >= 0 && burst.kernels > 0 && burst.kernel_ns >= 0, "bursts make sense");
    } catch (const std::runtime_error&) {
    }
}

}  // namespace xsched::fuzz::recording_target
