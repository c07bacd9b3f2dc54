// A pool: programs of one user that share one context of each NVIDIA GPU, by NVIDIA's Multi-Process Service (MPS), so
// that kernels of several can run side by side. The service is one of the user's own in a private folder, never the
// machine's. The main thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

class Pool {
public:
    // Throws Failure if MPS is not installed here, or the user has no folder for its pipes.
    Pool();

    // The folder of the service's pipes: CUDA_MPS_PIPE_DIRECTORY of its programs.
    const std::string& folder() const { return folder_; }
    bool runs() const;
    // Starts the service unless it runs. Throws Failure if it does not start.
    void start() const;
    // Ends the service, and with it the programs in the pool. Throws Failure if it does not end.
    void stop() const;
    // Returns the pids of the programs that have a context in the pool.
    std::vector<int> programs() const;

private:
    // Returns what the service answers; throws Failure if it does not run.
    std::string ask(const std::string& command) const;
    std::vector<int> numbers(const std::string& command) const;

    std::string control_;  // the path of nvidia-cuda-mps-control
    std::string folder_;
};

}  // namespace xsched::cli
