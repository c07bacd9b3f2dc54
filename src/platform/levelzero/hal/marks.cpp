#include "platform/levelzero/hal/marks.h"

#include <new>
#include <utility>

namespace xsched::levelzero {

Mark* Marks::take_spare(uint64_t passed) {
    base::Lock lock(mutex_);
    if (first_ == nullptr || first_->number > passed) return nullptr;
    Mark* const mark = std::exchange(first_, first_->next);
    if (first_ == nullptr) last_ = nullptr;
    return mark;
}

Mark* Marks::take(uint64_t passed) {
    Mark* mark = take_spare(passed);
    if (mark == nullptr) return make();
    if (api_.zeEventHostReset(mark->mark.event) == ZE_RESULT_SUCCESS) return mark;
    give(mark, passed);
    return nullptr;
}

void Marks::give(Mark* mark, uint64_t number) {
    mark->number = number;
    mark->next = nullptr;
    base::Lock lock(mutex_);
    (last_ != nullptr ? last_->next : first_) = mark;
    last_ = mark;
}

ze_event_pool_handle_t Marks::make_pool() {
    ze_event_pool_desc_t desc{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, kPoolEvents};
    ze_device_handle_t device = queue_.device;
    ze_event_pool_handle_t made = nullptr;
    return api_.zeEventPoolCreate(queue_.context, &desc, 1, &device, &made) == ZE_RESULT_SUCCESS ? made : nullptr;
}

// Finds a pool and an index for one more event, and makes a pool if all are full. If two threads make one at the same
// time, both pools are kept and used one after the other.
bool Marks::next_place(ze_event_pool_handle_t* pool, uint32_t* index) {
    {
        base::Lock lock(mutex_);
        if (used_ < kPoolEvents) {
            *pool = pools_->handle;
            *index = used_++;
            return true;
        }
    }
    auto* fresh = new (std::nothrow) Pool{make_pool(), nullptr};
    if (fresh == nullptr || fresh->handle == nullptr) {
        delete fresh;
        return false;
    }
    base::Lock lock(mutex_);
    fresh->before = std::exchange(pools_, fresh);
    used_ = 1;
    *pool = fresh->handle;
    *index = 0;
    return true;
}

bool Marks::fill_list(const XzeMark& mark) const {
    if (kind_ == Kind::kEnd)
        return api_.zeCommandListAppendBarrier(mark.list, mark.event, 0, nullptr) == ZE_RESULT_SUCCESS;
    ze_event_handle_t hold = mark.event;
    if (kind_ == Kind::kHold && api_.zeCommandListAppendWaitOnEvents(mark.list, 1, &hold) != ZE_RESULT_SUCCESS)
        return false;
    return !gate_.made() || gate_.wait_in(mark.list, nullptr);
}

bool Marks::make_list(Mark& mark) {
    ze_command_list_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, queue_.ordinal, 0};
    if (api_.zeCommandListCreate(queue_.context, queue_.device, &desc, &mark.mark.list) != ZE_RESULT_SUCCESS)
        return false;
    return fill_list(mark.mark) && api_.zeCommandListClose(mark.mark.list) == ZE_RESULT_SUCCESS;
}

Mark* Marks::make() {
    auto* mark = new (std::nothrow) Mark{};
    if (mark == nullptr) return nullptr;
    ze_event_pool_handle_t pool = nullptr;
    ze_event_desc_t desc{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    const bool made =
        next_place(&pool, &desc.index) && api_.zeEventCreate(pool, &desc, &mark->mark.event) == ZE_RESULT_SUCCESS;
    if (made && (queue_.list != nullptr || make_list(*mark))) {
        base::Lock lock(mutex_);
        mark->made_before = std::exchange(made_, mark);
        return mark;
    }
    if (mark->mark.list != nullptr) api_.zeCommandListDestroy(mark->mark.list);
    if (made) api_.zeEventDestroy(mark->mark.event);
    delete mark;
    return nullptr;
}

void Marks::signal_all() {
    for (const Mark* mark = made_; mark != nullptr; mark = mark->made_before) api_.zeEventHostSignal(mark->mark.event);
}

void Marks::destroy() {
    for (Mark* mark = std::exchange(made_, nullptr); mark != nullptr;) {
        Mark* const before = mark->made_before;
        if (mark->mark.list != nullptr) api_.zeCommandListDestroy(mark->mark.list);
        api_.zeEventDestroy(mark->mark.event);
        delete mark;
        mark = before;
    }
    for (Pool* pool = std::exchange(pools_, nullptr); pool != nullptr;) {
        Pool* const before = pool->before;
        api_.zeEventPoolDestroy(pool->handle);
        delete pool;
        pool = before;
    }
    first_ = last_ = nullptr;
    used_ = kPoolEvents;
}

}  // namespace xsched::levelzero
