#include "base/pointer_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

using xsched::base::PointerMap;

namespace {

const void* key(uintptr_t number) { return reinterpret_cast<const void*>(0x7f0000000000 + number * 16); }

template <typename Value>
struct OwnedMap : PointerMap<Value> {
    ~OwnedMap() { this->destroy(); }
};

TEST(PointerMap, FindsWhatWasInsertedAndNothingElse) {
    OwnedMap<int> map;
    int one = 1, two = 2;
    EXPECT_EQ(map.find(key(1)), nullptr);
    EXPECT_EQ(map.erase(key(1)), nullptr);
    ASSERT_TRUE(map.insert(key(1), &one));
    EXPECT_EQ(map.find(key(1)), &one);
    EXPECT_EQ(map.find(key(2)), nullptr);
    ASSERT_TRUE(map.insert(key(1), &two));
    EXPECT_EQ(map.find(key(1)), &two);
    EXPECT_EQ(map.erase(key(1)), &two);
    EXPECT_EQ(map.find(key(1)), nullptr);
    EXPECT_EQ(map.erase(key(1)), nullptr);
}

TEST(PointerMap, AReusedAddressFindsItsNewObject) {
    OwnedMap<int> map;
    std::vector<int> objects(1000);
    for (int& object : objects) {
        ASSERT_TRUE(map.insert(key(7), &object));
        ASSERT_EQ(map.find(key(7)), &object);
        ASSERT_EQ(map.erase(key(7)), &object);
        ASSERT_EQ(map.find(key(7)), nullptr);
    }
}

TEST(PointerMap, AgreesWithAReferenceMapWhileItGrowsAndShrinks) {
    OwnedMap<int> map;
    std::unordered_map<const void*, int*> reference;
    std::vector<int> objects(500);
    std::mt19937 random(20260729);
    for (int step = 0; step < 200'000; ++step) {
        const void* k = key(random() % 3000);
        if (random() % 2 == 0) {
            int* object = &objects[random() % objects.size()];
            ASSERT_TRUE(map.insert(k, object));
            reference[k] = object;
        } else {
            auto found = reference.find(k);
            int* expected = found == reference.end() ? nullptr : found->second;
            ASSERT_EQ(map.erase(k), expected);
            reference.erase(k);
        }
        const void* other = key(random() % 3000);
        auto found = reference.find(other);
        ASSERT_EQ(map.find(other), found == reference.end() ? nullptr : found->second);
    }
}

// Each key has objects of its own: a reader that ever sees another key's object has been given a wrong queue.
TEST(PointerMap, ReadersSeeOnlyTheirKeysObjectsWhileOthersWrite) {
    constexpr uintptr_t kKeys = 400;
    struct Object {
        uintptr_t owner;
    };
    OwnedMap<Object> map;
    std::vector<Object> objects(kKeys);
    for (uintptr_t i = 0; i < kKeys; ++i) objects[i].owner = i;
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 2; ++seed) {
        threads.emplace_back([&, seed] {
            std::mt19937 random(seed);
            for (int step = 0; step < 30'000; ++step) {
                const uintptr_t k = random() % kKeys;
                if (random() % 2 == 0)
                    map.insert(key(k), &objects[k]);
                else
                    map.erase(key(k));
            }
            stop = true;
        });
        threads.emplace_back([&, seed] {
            std::mt19937 random(100 + seed);
            while (!stop) {
                const uintptr_t k = random() % kKeys;
                const Object* object = map.find(key(k));
                if (object != nullptr && object->owner != k) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
