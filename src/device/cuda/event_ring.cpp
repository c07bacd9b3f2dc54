#include "device/cuda/event_ring.h"

namespace xsched::cuda {

CUresult EventRing::record(const CuApi& api, CUstream stream, uint32_t value) {
    CUevent event = nullptr;
    uint32_t index = 0;
    {
        base::Lock lock(mutex_);
        Mark& mark = marks_[next_ % kEvents];
        if (mark.busy) return CUDA_ERROR_NOT_READY;
        if (next_ - oldest_ == kEvents) ++oldest_;  // a younger mark will do
        mark.busy = true;
        event = mark.event;
        index = next_++;
    }
    CUresult code = CUDA_SUCCESS;
    if (event == nullptr) code = api.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (code == CUDA_SUCCESS) code = api.cuEventRecord(event, stream);
    base::Lock lock(mutex_);
    Mark& mark = marks_[index % kEvents];
    mark.event = event;
    mark.value = value;
    mark.busy = false;
    return code;
}

uint32_t EventRing::passed(const CuApi& api, uint32_t before) {
    for (;;) {
        uint32_t index = 0;
        CUevent event = nullptr;
        {
            base::Lock lock(mutex_);
            index = oldest_;
            Mark& mark = marks_[index % kEvents];
            if (index == next_ || mark.busy || mark.event == nullptr) return any_reached_ ? reached_ : before;
            mark.busy = true;
            event = mark.event;
        }
        const CUresult code = api.cuEventQuery(event);
        base::Lock lock(mutex_);
        Mark& mark = marks_[index % kEvents];
        mark.busy = false;
        if (code != CUDA_SUCCESS) return any_reached_ ? reached_ : before;
        reached_ = mark.value;
        any_reached_ = true;
        oldest_ = index + 1;
    }
}

void EventRing::clear(const CuApi& api) {
    for (Mark& mark : marks_) {
        if (mark.event != nullptr) api.cuEventDestroy_v2(mark.event);
        mark = Mark{};
    }
    oldest_ = next_ = reached_ = 0;
    any_reached_ = false;
}

}  // namespace xsched::cuda
