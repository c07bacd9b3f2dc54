#include "base/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "base/pointer_map.h"
#include "support/child.h"

using xsched::base::Lock;
using xsched::base::Mutex;
using xsched::test::in_child;

namespace {

TEST(Mutex, LetsOneInAtATime) {
    Mutex mutex;
    long count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50'000; ++i) {
                Lock lock(mutex);
                ++count;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, 200'000);
}

TEST(Mutex, TryLockFailsWhileItIsHeld) {
    Mutex mutex;
    ASSERT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
}

TEST(Mutex, WhoeverWaitsGetsIt) {
    Mutex mutex;
    std::atomic<int> got{0};
    std::vector<std::thread> threads;
    mutex.lock();
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            errno = 17;
            Lock lock(mutex);
            got += errno == 17;
        });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(got, 0);
    mutex.unlock();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(got, 3) << "and errno is as it was";
}

// Another thread holds a mutex for as long as this lives.
class Holder {
public:
    explicit Holder(Mutex& mutex)
        : thread_([this, &mutex] {
              Lock lock(mutex);
              holds_ = true;
              while (!end_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }) {
        while (!holds_) std::this_thread::yield();
    }
    ~Holder() {
        end_ = true;
        thread_.join();
    }

private:
    std::atomic<bool> holds_{false}, end_{false};
    std::thread thread_;
};

TEST(Mutex, OneThatAnotherThreadHeldIsFreeInForksChild) {
    Mutex mutex;
    std::thread waiter;
    {
        const Holder holder(mutex);
        waiter = std::thread([&] { Lock lock(mutex); });
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto lock_it = [&] {
            Lock lock(mutex);
            return mutex.try_lock() ? 1 : 0;
        };
        EXPECT_EQ(in_child(lock_it), 0);
        EXPECT_EQ(in_child([&] { return in_child(lock_it); }), 0) << "the child's child";
        EXPECT_FALSE(mutex.try_lock()) << "for the parent nothing has changed";
    }
    waiter.join();
}

TEST(Mutex, WorksBetweenTheThreadsOfForksChild) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a process with threads";
#endif
    Mutex mutex;
    const Holder holder(mutex);
    EXPECT_EQ(in_child([&] {
                  long count = 0;
                  std::vector<std::thread> threads;
                  for (int t = 0; t < 4; ++t)
                      threads.emplace_back([&] {
                          for (int i = 0; i < 1000; ++i) {
                              Lock lock(mutex);
                              ++count;
                          }
                      });
                  for (std::thread& thread : threads) thread.join();
                  return count == 4000 ? 0 : 1;
              }),
              0);
}

// The mutex of a pointer map is not in the list of mutexes that fork's child starts again. A map that another thread
// was writing at the fork must work in the child all the same.
TEST(Mutex, APointerMapThatIsBeingWrittenWorksInForksChild) {
    xsched::base::PointerMap<int> map;
    int value = 1;
    std::atomic<bool> end{false};
    std::thread writer([&] {
        while (!end) map.insert(&end, &value);
    });
    int failed = 0;
    for (int i = 0; i < 200 && failed == 0; ++i)
        failed = in_child([&] { return map.insert(&map, &value) && map.find(&map) == &value ? 0 : 1; });
    EXPECT_EQ(failed, 0);
    end = true;
    writer.join();
    map.destroy();
}

}  // namespace
