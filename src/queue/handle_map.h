// Handles to objects of one kind: numbers that count up from 1 and are never used again. Not thread-safe by itself.
#pragma once

#include <cstdint>
#include <vector>

namespace xsched::queue {

template <typename T>
class HandleMap {
public:
    uint64_t insert(const T& value) {
        const uint64_t handle = next_++;
        for (Entry& entry : entries_) {
            if (entry.handle != 0) continue;
            entry = {handle, value};
            return handle;
        }
        entries_.push_back({handle, value});
        return handle;
    }

    T* find(uint64_t handle) {
        if (handle == 0) return nullptr;
        for (Entry& entry : entries_)
            if (entry.handle == handle) return &entry.value;
        return nullptr;
    }

    template <typename Predicate>
    uint64_t find_if(Predicate matches) const {
        for (const Entry& entry : entries_)
            if (entry.handle != 0 && matches(entry.value)) return entry.handle;
        return 0;
    }

    bool erase(uint64_t handle) {
        for (Entry& entry : entries_) {
            if (handle == 0 || entry.handle != handle) continue;
            entry = Entry{};
            return true;
        }
        return false;
    }

private:
    struct Entry {
        uint64_t handle = 0;
        T value{};
    };
    std::vector<Entry> entries_;
    uint64_t next_ = 1;
};

}  // namespace xsched::queue
