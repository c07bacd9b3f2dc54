// The program beside which others are tried, on Vulkan: as neighbour.c.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "compute.h"
#include "neighbour.h"

namespace {

struct Work {
    compute::Device device;
    compute::Numbers numbers{device, 1024, 1};
    VkFence fence = device.fence();

    void submit(VkCommandBuffer commands, bool last) {
        compute::submit(device.queue(0), commands, last ? fence : VK_NULL_HANDLE);
        if (last) device.wait(fence);
    }
};

void run(const void* of, unsigned rounds) {
    Work& work = *const_cast<Work*>(static_cast<const Work*>(of));
    work.submit(work.numbers.record({1, 0, rounds}), true);
    work.numbers.reset();
}

}  // namespace

int main(int argc, char** argv) {
    const bool urgent = argc > 1 && std::strcmp(argv[1], "urgent") == 0;
    signal(SIGTERM, end);
    Work work;
    const VkCommandBuffer commands = work.numbers.record({1, 0, rounds_for(urgent ? 2 : 5, run, &work)});
    for (unsigned long done = 0; !g_ended; ++done) {
        std::printf("%lu\n", done);
        std::fflush(stdout);
        if (!urgent) work.submit(commands, false);
        work.submit(commands, true);
        if (urgent) usleep(20000);
    }
    work.device.destroy(work.fence);
    return 0;
}
