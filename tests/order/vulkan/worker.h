// One thread of the program: random calls on random queues, whose commands change the thread's own numbers, and what a
// sequential program would make of them. Each call signals the worker's timeline; a call on another queue than the one
// before waits for that. Some wait for a timeline that the host signals later, and some signal a binary semaphore for
// which the next call waits.
#pragma once

#include <vector>

#include "order/vulkan/world.h"

namespace order::vulkan {

class Worker : public SequentialWorker<World, Signaller> {
public:
    Worker(World& world, Signaller& signaller, const Options& options, int index);
    ~Worker() override;

private:
    // A semaphore that a submission waits for or signals. `value` counts for timeline semaphores.
    struct Use {
        VkSemaphore semaphore;
        uint64_t value;
    };
    struct Batch {
        std::vector<VkCommandBuffer> commands;
        std::vector<Use> waits;
        std::vector<Use> signals;
    };

    void give() override;
    void settle() override;
    std::vector<Batch> draw_batches(uint32_t queue);
    void wait_before(Batch& first, uint32_t queue);
    void submit(uint32_t queue, const std::vector<Batch>& batches, VkFence fence);
    void submit_as_of_old(uint32_t queue, const std::vector<Batch>& batches, VkFence fence);
    void fence_alone(uint32_t queue);
    void await_host();

    compute::Numbers numbers_;
    uint32_t expected_ = 1;
    const VkSemaphore timeline_;
    uint64_t reached_ = 0;  // what the last call signals
    const VkSemaphore host_;
    uint64_t host_value_ = 0;
    const VkSemaphore binary_;
    bool binary_signalled_ = false;
    const VkFence fence_;
    bool fence_is_used_ = false;
    uint32_t last_queue_ = 0;
};

}  // namespace order::vulkan
