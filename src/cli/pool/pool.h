// A pool: programs of one user that share one context of each NVIDIA GPU, by NVIDIA's Multi-Process Service (MPS), so
// that kernels of several can run side by side. The service is one of the user's own in a private folder, never the
// machine's: a daemon, and an MPS server that the daemon starts for the first program. The main thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/pool/fault.h"

namespace xsched::cli {

struct PoolServer {
    pid_t pid = 0;
    bool failed = false;  // a fault on the device: no program in it can go on
    std::vector<int> programs;  // the pids of the programs that have a context in it
};

class Pool {
public:
    // Throws Failure if MPS is not installed here, or the user has no folder for its pipes.
    Pool();

    // The folder of the service's pipes: CUDA_MPS_PIPE_DIRECTORY of its programs.
    const std::string& folder() const { return folder_; }
    // The file in which the MPS server writes what becomes of it and of its programs.
    std::string server_log() const { return folder_ + "/server.log"; }
    FaultBook faults() const { return FaultBook(folder_); }
    // Returns whether the service answers.
    bool runs() const;
    // Returns whether the daemon is there: costs microseconds, unlike runs().
    bool has_daemon() const { return daemon() != 0; }
    // Starts the service unless it runs, and removes what one that was killed has left. Throws Failure if it does not
    // start.
    void start() const;
    // Ends the service, and with it the programs in the pool. Throws Failure if it does not end.
    void stop() const;
    // Makes the pool fit for use after the fault: starts a new service, unless the old one has recovered, or another
    // program has started one.
    void renew(const PoolFault& fault) const;
    // Returns the MPS servers. Throws Failure if the service does not run.
    std::vector<PoolServer> servers() const;

private:
    // Returns what the service answers; throws Failure if it does not run.
    std::string ask(const std::string& command) const;
    std::vector<int> numbers(const std::string& command) const;
    pid_t daemon() const;
    void start_locked() const;
    void end_locked() const;
    void remove_remains() const;

    std::string control_;  // the path of nvidia-cuda-mps-control
    std::string folder_;
};

}  // namespace xsched::cli
