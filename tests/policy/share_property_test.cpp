// Shares and limits of random programs, all busy: within 1 point over ten seconds and 3 points over any one. Commands
// of up to 4 ms, up to six programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "policy/policy.h"
#include "policy/virtual_device.h"

namespace xsched::policy::share_property_test {
namespace {

using namespace testing;

int worlds() {
    const char* text = getenv("XSCHED_SHARE_WORLDS");
    return text != nullptr ? atoi(text) : 6;
}

struct World {
    explicit World(uint32_t seed) : random(seed) {}
    int64_t below(int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); }

    std::mt19937 random;
    std::vector<int32_t> shares;  // together 100
    std::vector<int64_t> commands_ns;

    void fill() {
        const int64_t count = 2 + below(5);
        int32_t left = 100;
        for (int64_t i = 0; i < count; ++i) {
            const int32_t most = left - 5 * static_cast<int32_t>(count - 1 - i);
            shares.push_back(i + 1 == count ? left : 5 + static_cast<int32_t>(below(std::max(most - 5, 1))));
            left -= shares.back();
            commands_ns.push_back(100 * kUs + below(3900) * kUs);
        }
    }
};

// Runs `body` in several random worlds, whose seeds are the numbers after `before`.
template <typename Body>
void in_worlds(int before, Body body) {
    for (int i = 1; i <= worlds(); ++i) {
        SCOPED_TRACE("seed " + std::to_string(before + i));
        World world(static_cast<uint32_t>(before + i));
        world.fill();
        body(world);
    }
}

void expect_parts(const VirtualDevice& device, const std::vector<int32_t>& parts, double any_second) {
    for (size_t i = 0; i < parts.size(); ++i) {
        EXPECT_NEAR(device.part(i, 10, 110), parts[i], 1) << "program " << i;
        for (size_t from = 10; from + 10 <= 110; ++from)
            ASSERT_NEAR(device.part(i, from, from + 10), parts[i], any_second) << "program " << i << " from " << from;
    }
}

TEST(ShareProperties, BusyProgramsGetTheirShares) {
    in_worlds(0, [](World& world) {
        for (const char* name : {"UP", "PUP", "SPUP"}) {
            SCOPED_TRACE(name);
            VirtualDevice device(name);
            for (size_t i = 0; i < world.shares.size(); ++i) {
                Job& job = device.add({.command_ns = world.commands_ns[i]});
                job.unit.share = job.unit.utilization = world.shares[i];
            }
            device.run(11 * kSecond);
            expect_parts(device, world.shares, 3);
            if (::testing::Test::HasFailure()) return;
        }
    });
}

// AUTO: programs that stay get equal parts; beside programs that come and go, each gets at least four fifths of an
// equal part in any second. No program has more than its own because of how it pauses.
TEST(ShareProperties, WithoutAnyHintAllHaveEqualParts) {
    in_worlds(2000, [](World& world) {
        VirtualDevice device("AUTO");
        for (const int64_t command_ns : world.commands_ns) device.add({.command_ns = command_ns});
        device.run(11 * kSecond);
        const double part = 100.0 / static_cast<double>(device.size());
        for (size_t i = 0; i < device.size(); ++i) {
            EXPECT_NEAR(device.part(i, 10, 110), part, 1) << "program " << i;
            for (size_t from = 10; from + 10 <= 110; ++from)
                ASSERT_NEAR(device.part(i, from, from + 10), part, 3) << "program " << i << " from " << from;
        }
    });
}

TEST(ShareProperties, WhoeverPausesTakesNothingFromTheSteady) {
    in_worlds(3000, [](World& world) {
        VirtualDevice device("AUTO");
        device.add({.command_ns = world.commands_ns[0]});  // steady
        for (size_t i = 1; i < world.commands_ns.size(); ++i) {
            Job& job = device.add({.command_ns = world.commands_ns[i], .commands = 1 + world.below(40)});
            job.gap_ns = world.below(world.below(2) == 0 ? kMs : 100 * kMs);
        }
        device.run(11 * kSecond);
        const double part = 100.0 / static_cast<double>(device.size());
        for (size_t from = 10; from + 10 <= 110; ++from)
            ASSERT_GE(device.part(0, from, from + 10), 0.8 * part - 1) << "from " << from;
        EXPECT_GE(device.part(0, 10, 110), part - 2);
    });
}

// A program that has used the device in small pieces for long rests, and a newcomer comes meanwhile. The program must
// not have to wait until the newcomer has had as much.
TEST(ShareProperties, ANewcomerIsNotOwedWhatOthersHadBeforeItCame) {
    for (const char* name : {"UP", "PUP", "SPUP", "CFS", "AUTO"}) {
        SCOPED_TRACE(name);
        VirtualDevice device(name);
        for (int i = 0; i < 2; ++i) {
            Job& brief = device.add({.command_ns = kMs, .commands = 1});
            brief.gap_ns = (17 + 6 * i) * kMs;
        }
        device.run(20 * kSecond + 10 * kMs);  // both rest
        ASSERT_FALSE(device.job(0).unit.ready || device.job(1).unit.ready);
        for (size_t i = 0; i < 2; ++i) device.job(i).lengths_ns.clear();
        device.add({.command_ns = 300 * kUs});
        device.run(3 * kSecond);
        for (size_t i = 0; i < 2; ++i) {
            const auto& lengths_ns = device.job(i).lengths_ns;
            EXPECT_LE(*std::max_element(lengths_ns.begin(), lengths_ns.end()), 30 * kMs) << i;
        }
    }
}

TEST(ShareProperties, LimitsHoldWhateverOthersDo) {
    in_worlds(1000, [](World& world) {
        VirtualDevice device("PUP");
        std::vector<int32_t> limits;
        for (size_t i = 0; i < world.shares.size(); ++i) {
            limits.push_back(5 + static_cast<int32_t>(world.below(60)));
            Job& job = device.add({.command_ns = world.commands_ns[i]});
            job.unit.share = world.shares[i];
            job.unit.limit = limits.back();
            job.commands = world.below(2) == 0 ? 0 : 1 + world.below(20);
            job.gap_ns = world.below(20 * kMs);
        }
        device.run(11 * kSecond);
        for (size_t i = 0; i < limits.size(); ++i) {
            ASSERT_LE(device.part(i, 10, 110), limits[i] + 1) << "program " << i;
            for (size_t from = 0; from + 10 <= 110; ++from)
                ASSERT_LE(device.part(i, from, from + 10), limits[i] + 3) << "program " << i << " from " << from;
        }
    });
}

TEST(ShareProperties, TheSameWorldIsDecidedTheSameWay) {
    for (const PolicyInfo& info : policies()) {
        uint64_t traces[2];
        for (uint64_t& trace : traces) {
            World world(7);
            world.fill();
            VirtualDevice device(info.name);
            for (size_t i = 0; i < world.shares.size(); ++i) {
                Job& job = device.add({.command_ns = world.commands_ns[i], .commands = 1 + world.below(9)});
                job.gap_ns = world.below(9 * kMs);
                job.unit.priority = static_cast<int32_t>(world.below(5));
                job.unit.deadline_us = world.below(9000);
                job.unit.share = world.shares[i];
            }
            device.run(kSecond);
            trace = device.trace();
        }
        EXPECT_EQ(traces[0], traces[1]) << info.name;
    }
}

}  // namespace
}  // namespace xsched::policy::share_property_test
