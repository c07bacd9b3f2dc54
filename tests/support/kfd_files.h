// AMD's kernel driver as its files in /sys tell, staged in a folder.
#pragma once

#include <string>

#include "support/directory.h"

namespace xsched::test {

class KfdFiles {
public:
    std::string root() const { return directory_ / "machine"; }
    std::string kfd() const { return root() + "/sys/class/kfd/kfd"; }
    // `location`: as KFD writes the PCI bus and device. `at_once`: queues for kernels that the hardware takes; 0: the
    // file does not say.
    void add_gpu(const std::string& node, const std::string& id, unsigned domain, unsigned location,
                 unsigned at_once = 24) const {
        const std::string folder = kfd() + "/topology/nodes/" + node;
        put(folder + "/gpu_id", id);
        put(folder + "/properties", "simd_count 320\nlocation_id " + std::to_string(location) + "\ndomain " +
                                        std::to_string(domain) +
                                        (at_once == 0 ? "" : "\nnum_cp_queues " + std::to_string(at_once)));
    }
    // Adds queues of one program. Type 0 is for kernels.
    void add_queues(const std::string& pid, const std::string& gpu, int count, const std::string& type = "0") const {
        for (int i = 0; i < count; ++i) {
            const std::string folder = kfd() + "/proc/" + pid + "/queues/" + gpu + std::to_string(i);
            put(folder + "/gpuid", gpu);
            put(folder + "/type", type);
        }
    }

private:
    static void put(const std::string& path, const std::string& text) { make_file(path, text + "\n"); }
    TemporaryDirectory directory_;
};

}  // namespace xsched::test
