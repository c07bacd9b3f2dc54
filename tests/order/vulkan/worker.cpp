#include "order/vulkan/worker.h"

#include <algorithm>
#include <chrono>

#include "order/core/report.h"

namespace order::vulkan {
namespace {

constexpr uint32_t kNumbers = 256;

}  // namespace

void Signal::perform(const Signal& it, Random& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = it.timeline;
    info.value = it.value;
    expect_success(vkSignalSemaphore(it.device, &info), "vkSignalSemaphore");
}

Worker::Worker(World& world, Signaller& signaller, const Options& options, int index)
    : SequentialWorker(world, signaller, options, index),
      numbers_(world.device, kNumbers, 1),
      timeline_(world.device.semaphore(VK_SEMAPHORE_TYPE_TIMELINE)),
      host_(world.device.semaphore(VK_SEMAPHORE_TYPE_TIMELINE)),
      binary_(world.device.semaphore(VK_SEMAPHORE_TYPE_BINARY)),
      fence_(world.device.fence()) {}

Worker::~Worker() {
    for (const VkSemaphore semaphore : {timeline_, host_, binary_}) world_.device.destroy(semaphore);
    world_.device.destroy(fence_);
}

// A wait for a binary semaphore may only be submitted when its signal can follow, without the host.
void Worker::await_host() {
    Activity::set("waiting for the host's signal");
    world_.device.wait(host_, host_value_);
}

void Worker::wait_before(Batch& first, uint32_t queue) {
    if (binary_signalled_) {
        await_host();
        first.waits.push_back({binary_, 0});
        binary_signalled_ = false;
    }
    if (queue != last_queue_) first.waits.push_back({timeline_, reached_});
    if (random_.once_in(15)) {
        await_host();
        first.waits.push_back({host_, ++host_value_});
        signaller_.add({world_.device.handle(), host_, host_value_});
    }
}

std::vector<Worker::Batch> Worker::draw_batches(uint32_t queue) {
    std::vector<Batch> batches(1 + random_.below(3));
    wait_before(batches.front(), queue);
    for (Batch& batch : batches) {
        for (uint32_t i = random_.below(3); i > 0; --i) {
            const compute::Step step{random_.next() | 1, random_.next(), 1 + random_.below(30)};
            batch.commands.push_back(numbers_.record(step));
            expected_ = compute::after(expected_, step);
        }
    }
    batches.back().signals.push_back({timeline_, ++reached_});
    if (random_.once_in(5)) {
        batches.back().signals.push_back({binary_, 0});
        binary_signalled_ = true;
    }
    last_queue_ = queue;
    return batches;
}

void Worker::give() {
    const uint32_t queue = random_.below(world_.device.queues());
    if (random_.once_in(40)) fence_alone(queue);
    const std::vector<Batch> batches = draw_batches(queue);
    VkFence fence = nullptr;
    if (!fence_is_used_ && random_.once_in(4)) {
        fence = fence_;
        fence_is_used_ = true;
    }
    const std::lock_guard lock(world_.turns[queue]);
    Activity::set("vkQueueSubmit");
    random_.once_in(2) ? submit(queue, batches, fence) : submit_as_of_old(queue, batches, fence);
}

void Worker::submit(uint32_t queue, const std::vector<Batch>& batches, VkFence fence) {
    std::vector<VkSubmitInfo2> infos;
    std::vector<std::vector<VkSemaphoreSubmitInfo>> uses;
    std::vector<std::vector<VkCommandBufferSubmitInfo>> buffers;
    const auto add = [&](const std::vector<Use>& all) -> const std::vector<VkSemaphoreSubmitInfo>& {
        auto& made = uses.emplace_back();
        for (const Use& use : all)
            made.push_back({VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, use.semaphore, use.value,
                            VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0});
        return made;
    };
    uses.reserve(batches.size() * 2);
    for (const Batch& batch : batches) {
        auto& list = buffers.emplace_back();
        for (const VkCommandBuffer one : batch.commands)
            list.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, one, 0});
        VkSubmitInfo2& info = infos.emplace_back(VkSubmitInfo2{VK_STRUCTURE_TYPE_SUBMIT_INFO_2});
        const auto& waits = add(batch.waits);
        info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
        info.pWaitSemaphoreInfos = waits.data();
        const auto& signals = add(batch.signals);
        info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
        info.pSignalSemaphoreInfos = signals.data();
        info.commandBufferInfoCount = static_cast<uint32_t>(list.size());
        info.pCommandBufferInfos = list.data();
    }
    expect_success(vkQueueSubmit2(world_.device.queue(queue), static_cast<uint32_t>(infos.size()), infos.data(), fence),
                   "vkQueueSubmit2");
}

void Worker::submit_as_of_old(uint32_t queue, const std::vector<Batch>& batches, VkFence fence) {
    struct Parts {
        std::vector<VkSemaphore> waits, signals;
        std::vector<uint64_t> wait_values, signal_values;
        std::vector<VkPipelineStageFlags> stages;
        VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    };
    std::vector<Parts> parts(batches.size());
    std::vector<VkSubmitInfo> infos(batches.size(), VkSubmitInfo{VK_STRUCTURE_TYPE_SUBMIT_INFO});
    for (size_t i = 0; i < batches.size(); ++i) {
        Parts& part = parts[i];
        for (const Use& use : batches[i].waits) {
            part.waits.push_back(use.semaphore);
            part.wait_values.push_back(use.value);
            part.stages.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        }
        for (const Use& use : batches[i].signals) {
            part.signals.push_back(use.semaphore);
            part.signal_values.push_back(use.value);
        }
        part.values.waitSemaphoreValueCount = static_cast<uint32_t>(part.wait_values.size());
        part.values.pWaitSemaphoreValues = part.wait_values.data();
        part.values.signalSemaphoreValueCount = static_cast<uint32_t>(part.signal_values.size());
        part.values.pSignalSemaphoreValues = part.signal_values.data();
        infos[i].pNext = &part.values;
        infos[i].waitSemaphoreCount = static_cast<uint32_t>(part.waits.size());
        infos[i].pWaitSemaphores = part.waits.data();
        infos[i].pWaitDstStageMask = part.stages.data();
        infos[i].signalSemaphoreCount = static_cast<uint32_t>(part.signals.size());
        infos[i].pSignalSemaphores = part.signals.data();
        infos[i].commandBufferCount = static_cast<uint32_t>(batches[i].commands.size());
        infos[i].pCommandBuffers = batches[i].commands.data();
    }
    expect_success(vkQueueSubmit(world_.device.queue(queue), static_cast<uint32_t>(infos.size()), infos.data(), fence),
                   "vkQueueSubmit");
}

// Submits only a fence, without any batch: it is signalled when all earlier submissions to the queue are complete.
void Worker::fence_alone(uint32_t queue) {
    const VkFence fence = world_.device.fence();
    {
        const std::lock_guard lock(world_.turns[queue]);
        Activity::set("vkQueueSubmit of a fence");
        compute::submit(world_.device.queue(queue), nullptr, fence);
    }
    Activity::set("vkWaitForFences behind everything");
    world_.device.wait(fence);
    world_.device.destroy(fence);
}

void Worker::settle() {
    if (fence_is_used_) {
        Activity::set("vkWaitForFences");
        world_.device.wait(fence_);
        fence_is_used_ = false;
    }
    if (random_.once_in(4)) {
        Activity::set("vkQueueWaitIdle");
        const std::lock_guard lock(world_.turns[last_queue_]);
        expect_success(vkQueueWaitIdle(world_.device.queue(last_queue_)), "vkQueueWaitIdle");
    } else {
        Activity::set("vkWaitSemaphores");
        world_.device.wait(timeline_, reached_);
    }
    if (const uint32_t wrong = numbers_.wrong(expected_); wrong != 0)
        violation("%u of %u numbers are wrong after %llu calls", wrong, numbers_.count(),
                  static_cast<unsigned long long>(reached_));
    numbers_.reset();
}

}  // namespace order::vulkan
