#include "order/ascend/world.h"

#include <chrono>

namespace order::ascend {

World::World(const Options&) {
    expect_success(aclInit(nullptr), "aclInit");
    expect_success(aclrtSetDevice(0), "aclrtSetDevice");
    expect_success(aclrtGetCurrentContext(&context), "aclrtGetCurrentContext");
    expect_success(aclrtBinaryGetFunction(nullptr, "append", &kernel), "aclrtBinaryGetFunction");
    for (aclrtStream& stream : shared) expect_success(aclrtCreateStream(&stream), "aclrtCreateStream");
}

World::~World() {
    for (const aclrtStream stream : shared) expect_success(aclrtDestroyStream(stream), "aclrtDestroyStream");
    expect_success(aclrtResetDevice(0), "aclrtResetDevice");
}

aclrtStream World::make_stream() {
    aclrtStream made = nullptr;
    expect_success(aclrtCreateStream(&made), "aclrtCreateStream");
    return own_.add(made);
}

void World::destroy_stream(aclrtStream stream) {
    own_.remove(stream);
    expect_success(aclrtDestroyStream(stream), "aclrtDestroyStream");
}

// The context is made current, since the runtime does not tell to which one a stream belongs.
std::vector<XQueueHandle> World::xqueues() {
    expect_success(aclrtSetCurrentContext(context), "aclrtSetCurrentContext");
    std::vector<aclrtStream> all = own_.all();
    all.insert(all.end(), shared.begin(), shared.end());
    all.push_back(nullptr);
    return xsched().queues_of(all);
}

void Ended::perform(const Ended& it, Random& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
    expect_success(aclrtSetCurrentContext(it.context), "aclrtSetCurrentContext");
    expect_success(aclrtSynchronizeEvent(it.event), "aclrtSynchronizeEvent");
    expect_success(aclrtDestroyEvent(it.event), "aclrtDestroyEvent");
}

}  // namespace order::ascend
