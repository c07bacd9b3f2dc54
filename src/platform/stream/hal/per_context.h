// A resource that is created once per vendor context and destroyed with it. Meant as a global: constant initialization,
// and no destructor that would run at the program's exit. Any thread.
#pragma once

#include <new>

#include "base/mutex.h"
#include "vendor.h"

namespace xsched::stream {

template <typename T>
class PerContext {
public:
    constexpr PerContext() = default;

    bool find(Context context, T* value) {
        base::Lock lock(mutex_);
        const Entry* entry = *place_of(context);
        if (entry != nullptr) *value = entry->value;
        return entry != nullptr;
    }
    // Adds the value, unless another thread was faster. Returns false if there is no memory.
    bool remember(Context context, const T& value) {
        base::Lock lock(mutex_);
        Entry** at = place_of(context);
        if (*at == nullptr) *at = new (std::nothrow) Entry{context, value, nullptr};
        return *at != nullptr;
    }
    // Forgets a context that is about to end.
    void forget(Context context) {
        base::Lock lock(mutex_);
        Entry** at = place_of(context);
        if (*at == nullptr) return;
        Entry* gone = *at;
        *at = gone->next;
        delete gone;
    }

private:
    struct Entry {
        Context context;
        T value;
        Entry* next;
    };

    // Returns where the pointer to the context's entry is, or where it is to be added. mutex_ held.
    Entry** place_of(Context context) {
        Entry** at = &first_;
        while (*at != nullptr && (*at)->context != context) at = &(*at)->next;
        return at;
    }

    base::Mutex mutex_;
    Entry* first_ = nullptr;
};

}  // namespace xsched::stream
