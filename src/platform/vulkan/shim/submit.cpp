#include "platform/vulkan/shim/submit.h"

namespace xsched::vulkan {
namespace {

constexpr VkPipelineStageFlags kAllStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

}  // namespace

Launch::Launch(const Queue& queue, bool unheld) : queue_(queue) {
    const int saved = errno;
    unheld ? xq_admit_unheld(queue.xqueue, &ticket_) : xq_admit(queue.xqueue, &ticket_);
    if (ticket_.hold != nullptr) wait = xvk_wait_of(ticket_.hold);
    signal = xvk_next_signal(queue.hwq);
    errno = saved;
}

void Launch::returned(bool succeeded) {
    const int saved = errno;
    const XqToken token = ticket_.token;
    xq_launched(queue_.xqueue, &ticket_, succeeded ? kXqSucceeded : kXqFailed);
    if (succeeded && token != 0) xvk_launched(queue_.hwq, signal.value, token);
    errno = saved;
}

void Launch::returned_untold(bool succeeded) {
    const int saved = errno;
    const XqToken token = ticket_.token;
    xq_launched(queue_.xqueue, &ticket_, succeeded ? kXqSucceeded : kXqFailed);
    if (succeeded) xq_complete(token);
    errno = saved;
}

void Batches1::set(const XvkOperation& wait_for, const XvkOperation& then_signal) {
    semaphores_[0] = wait_for.semaphore;
    semaphores_[1] = then_signal.semaphore;
    values_[0] = wait_for.value;
    values_[1] = then_signal.value;
    wait_value_.waitSemaphoreValueCount = 1;
    wait_value_.pWaitSemaphoreValues = &values_[0];
    wait.pNext = &wait_value_;
    wait.waitSemaphoreCount = 1;
    wait.pWaitSemaphores = &semaphores_[0];
    wait.pWaitDstStageMask = &kAllStages;
    signal_value_.signalSemaphoreValueCount = 1;
    signal_value_.pSignalSemaphoreValues = &values_[1];
    signal.pNext = &signal_value_;
    signal.signalSemaphoreCount = 1;
    signal.pSignalSemaphores = &semaphores_[1];
}

bool Batches1::signals_binary(const Device& device, const Info& info) {
    for (uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
        if (!is_timeline(device, info.pSignalSemaphores[i])) return true;
    return false;
}

void Batches2::set(const XvkOperation& wait_for, const XvkOperation& then_signal) {
    for (int i = 0; i < 2; ++i) {
        const XvkOperation& operation = i == 0 ? wait_for : then_signal;
        operations_[i] = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
        operations_[i].semaphore = operation.semaphore;
        operations_[i].value = operation.value;
        operations_[i].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    }
    wait.waitSemaphoreInfoCount = 1;
    wait.pWaitSemaphoreInfos = &operations_[0];
    signal.signalSemaphoreInfoCount = 1;
    signal.pSignalSemaphoreInfos = &operations_[1];
}

bool Batches2::signals_binary(const Device& device, const Info& info) {
    for (uint32_t i = 0; i < info.signalSemaphoreInfoCount; ++i)
        if (!is_timeline(device, info.pSignalSemaphoreInfos[i].semaphore)) return true;
    return false;
}

}  // namespace xsched::vulkan
