#include "queue/published_slot.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "queue/device_names.h"

namespace xsched::queue {
namespace {

constexpr XqCosts kCosts = {.switch_us = 5, .off_us = 6, .most_off_us = 7, .effect_us = 8, .interrupt_us = 9};
constexpr XqDeviceOps kOps = {.abi = XQ_DEVICE_ABI, .levels = 0b0110, .platform = kPlatformOpenCL, .costs = kCosts};

class PublishedSlotTest : public testing::Test {
protected:
    PublishedSlotTest() {
        setup.ops = &kOps;
        setup.vendor = 0xabc;
        setup.level = 2;
        setup.priority = 3;
        published.place({&region->header, &region->slots[4]});
    }
    void publish(const SlotState& state) { published.publish(4, setup, state, window, meter); }
    ipc::QueueSlot& slot() { return region->slots[4]; }

    std::unique_ptr<ipc::Region> region = std::make_unique<ipc::Region>();
    queue::Setup setup;
    Window window;
    CommandMeter meter;
    PublishedSlot published;
};

TEST_F(PublishedSlotTest, SaysWhoItIsAndRings) {
    slot().suspended = 1;  // of the queue before
    publish({.handle = 77, .submitted = 2, .launched = 2, .completed = 1});
    EXPECT_EQ(slot().state, static_cast<uint32_t>(ipc::SlotState::kUsed));
    EXPECT_EQ(slot().handle, 77u);
    EXPECT_EQ(slot().hwq, 0xabcu);
    EXPECT_EQ(slot().levels, 0b0110u);
    EXPECT_EQ(slot().switch_us, 5u);
    EXPECT_EQ(slot().off_us, 6u);
    EXPECT_EQ(slot().most_off_us, 7u);
    EXPECT_EQ(slot().effect_us, 8u);
    EXPECT_EQ(slot().interrupt_us, 9u);
    EXPECT_EQ(slot().priority, 3);
    EXPECT_EQ(slot().suspended, 0u);
    EXPECT_EQ(slot().gate, ipc::kGateOpen);
    EXPECT_GT(slot().ready_since_ns, 0) << "something is not complete";
    EXPECT_EQ(region->header.slot_end, 5u);
    EXPECT_EQ(region->header.doorbell, 1u);
}

TEST_F(PublishedSlotTest, TakesHintsAlong) {
    publish({});
    slot().priority = 9;
    published.read_hints(&setup);
    EXPECT_EQ(setup.priority, 9);
}

TEST_F(PublishedSlotTest, TheProgramsSuspensionClosesTheGateAndRings) {
    publish({});
    const uint32_t rings = region->header.doorbell;
    published.suspended_by_program(true);
    EXPECT_EQ(slot().gate, ipc::kGateClosed);
    EXPECT_GT(region->header.doorbell, rings);
    published.suspended_by_program(false);
    EXPECT_EQ(slot().gate, ipc::kGateOpen);
}

TEST_F(PublishedSlotTest, AFreeSlotsGateIsOpen) {
    publish({.suspended = true});
    slot().suspended = 1;
    published.open_gate();
    published.free();
    EXPECT_EQ(slot().gate, ipc::kGateOpen);
    EXPECT_EQ(slot().state, static_cast<uint32_t>(ipc::SlotState::kFree));
}

TEST_F(PublishedSlotTest, ReadinessIsRungWhileSomebodyWatches) {
    publish({});
    const uint32_t rings = region->header.doorbell;
    published.ring_ready(true, 100);
    EXPECT_EQ(region->header.doorbell, rings);
    region->header.watching = 1;
    published.ring_ready(true, 200);
    EXPECT_EQ(slot().ready_since_ns, 200);
    EXPECT_EQ(region->header.doorbell, rings + 1);
    published.ring_ready(false, 300);
    EXPECT_EQ(slot().idle_since_ns, 300);
    EXPECT_EQ(region->header.doorbell, rings + 2);
}

constexpr uint64_t kFirstNamed = 0x7e57000000000001;

std::string published(uint64_t device, const char* name) {
    name_device(device, name);
    const auto header = std::make_unique<ipc::Header>();
    publish_device_names(*header);
    char text[ipc::DeviceName::kBytes] = "";
    for (const ipc::DeviceName& one : header->devices)
        if (one.device.load() == device) one.read(text);
    return text;
}

TEST(DeviceNames, ALongOneEndsWithAWholeWord) {
    EXPECT_EQ(published(kFirstNamed, "NVIDIA H200"), "NVIDIA H200");
    EXPECT_EQ(published(kFirstNamed + 1, "pthread-skylake-avx512-Intel(R) Xeon(R) Processor @ 2.10GHz"),
              "pthread-skylake-avx512-Intel(R) Xeon(R)...");
    const std::string longest(ipc::DeviceName::kBytes - 1, 'x');
    EXPECT_EQ(published(kFirstNamed + 2, longest.c_str()), longest);
    EXPECT_EQ(published(kFirstNamed + 3, (longest + "x").c_str()), longest.substr(3) + "...");
}

}  // namespace
}  // namespace xsched::queue
