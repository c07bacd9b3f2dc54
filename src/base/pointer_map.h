// A map from the vendor's handles (pointers) to objects of ours, for the hot path of a shim: find takes no lock and
// writes nothing; insert and erase take one. Any thread, any time.
//
// Open addressing. A place belongs to one key for its table's life: erase clears the value and leaves the key. So a
// reader never sees another key's value, and a handle whose address is reused finds its old place again. When a table
// is three quarters full of keys a new one takes over with those that still have a value. Old tables stay readable for
// the map's life (a reader may be inside); together they are smaller than the newest, unless addresses of erased keys
// hardly ever come back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/mutex.h"
#include "base/no_copies.h"

namespace xsched::base {

// Value: an object's type. The map stores Value* and does not own the objects. The key nullptr is not allowed.
template <typename Value>
class PointerMap : NoCopies {
public:
    constexpr PointerMap() = default;
    // Frees the tables. Call only when no thread uses the map any more. A shim's map is used as long as threads run, so
    // there is no destructor.
    void destroy() {
        Table* table = table_.exchange(nullptr, std::memory_order_acq_rel);
        while (table != nullptr) {
            Table* older = table->older;
            delete[] table->places;
            delete table;
            table = older;
        }
    }

    // Returns the value of a key; nullptr if the key is not there.
    Value* find(const void* key) const {
        const Table* table = table_.load(std::memory_order_acquire);
        if (table == nullptr) return nullptr;
        for (size_t at = hash(key) & table->mask;; at = (at + 1) & table->mask) {
            const Place& place = table->places[at];
            const void* there = place.key.load(std::memory_order_acquire);
            if (there == key) return place.value.load(std::memory_order_acquire);
            if (there == nullptr) return nullptr;
        }
    }

    // Adds or replaces an entry. Returns false if memory is exhausted; then nothing has changed.
    bool insert(const void* key, Value* value) {
        Lock lock(mutex_);
        Table* table = table_.load(std::memory_order_relaxed);
        if (table == nullptr || table->keys * 4 >= (table->mask + 1) * 3) {
            table = renew(table);
            if (table == nullptr) return false;
        }
        put(*table, key, value);
        return true;
    }

    // Removes a key. Returns its value, or nullptr if there was none.
    Value* erase(const void* key) {
        Lock lock(mutex_);
        Table* table = table_.load(std::memory_order_relaxed);
        if (table == nullptr) return nullptr;
        for (size_t at = hash(key) & table->mask;; at = (at + 1) & table->mask) {
            Place& place = table->places[at];
            const void* there = place.key.load(std::memory_order_relaxed);
            if (there == key) return place.value.exchange(nullptr, std::memory_order_acq_rel);
            if (there == nullptr) return nullptr;
        }
    }

private:
    static constexpr size_t kFirstCapacity = 64;

    struct Place {
        std::atomic<const void*> key{nullptr};
        std::atomic<Value*> value{nullptr};
    };
    struct Table {
        size_t mask = 0;
        size_t keys = 0;  // places taken by keys, with or without a value
        Place* places = nullptr;
        Table* older = nullptr;
    };

    static size_t hash(const void* key) {
        // Fibonacci hashing; the lowest bits of a pointer say nothing.
        return static_cast<size_t>((reinterpret_cast<uintptr_t>(key) >> 4) * 0x9e3779b97f4a7c15u >> 20);
    }

    // Stores an entry. Requires mutex_, or a table that no other thread can see yet.
    static void put(Table& table, const void* key, Value* value) {
        for (size_t at = hash(key) & table.mask;; at = (at + 1) & table.mask) {
            Place& place = table.places[at];
            const void* there = place.key.load(std::memory_order_relaxed);
            if (there != nullptr && there != key) continue;
            place.value.store(value, std::memory_order_release);
            if (there == nullptr) {
                ++table.keys;
                place.key.store(key, std::memory_order_release);
            }
            return;
        }
    }

    // Makes a larger table with the entries of `old`. Requires mutex_.
    Table* renew(Table* old) {
        size_t used = 0;
        for (size_t at = 0; old != nullptr && at <= old->mask; ++at)
            used += old->places[at].value.load(std::memory_order_relaxed) != nullptr;
        size_t capacity = kFirstCapacity;
        while (capacity < used * 4) capacity *= 2;
        if (old != nullptr && capacity <= old->mask) capacity = old->mask + 1;
        auto* table = new (std::nothrow) Table;
        if (table == nullptr) return nullptr;
        table->places = new (std::nothrow) Place[capacity];
        if (table->places == nullptr) {
            delete table;
            return nullptr;
        }
        table->mask = capacity - 1;
        table->older = old;
        for (size_t at = 0; old != nullptr && at <= old->mask; ++at) {
            Value* value = old->places[at].value.load(std::memory_order_relaxed);
            if (value != nullptr) put(*table, old->places[at].key.load(std::memory_order_relaxed), value);
        }
        table_.store(table, std::memory_order_release);
        return table;
    }

    std::atomic<Table*> table_{nullptr};
    Mutex mutex_;
};

}  // namespace xsched::base
