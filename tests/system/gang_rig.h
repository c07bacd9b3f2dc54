// Two members of a gang, which xcli run starts, each on a device of its own, and others beside them.
#pragma once

#include "system/cuda_rig.h"

namespace xsched::test {

class WithGang : public CudaProcesses {
protected:
    // Starts a server without turns for starving programs: with such turns a gang would never stay suspended.
    void SetUp() override { start({"--starvation-limit-ms", "0"}); }

    // Starts a program on one device. `device`: its number, as in the program's own variable.
    std::unique_ptr<CudaProgram> start_on(const std::string& name, int priority, const char* device,
                                          const std::vector<std::string>& starter = {}) {
        Environment environment{{"CUDA_PROGRAM_DEVICES", device}};
        // xcli run puts the shim before a sanitizer's library.
        if (const char* options = getenv("ASAN_OPTIONS"); options != nullptr && !starter.empty())
            environment["ASAN_OPTIONS"] = std::string(options) + ":verify_asan_link_order=0";
        auto program = start_program(name, priority, environment, {}, starter);
        program->work();
        return program;
    }
    std::unique_ptr<CudaProgram> start_member(const std::string& name, const char* device) {
        return start_on(name, 0, device, {binary("xcli"), "run", "--gang", "train", "--"});
    }
    void start_members() {
        first = start_member("first", "0");
        second = start_member("second", "1");
        ASSERT_TRUE(first->advances()) << first->process().err();
        ASSERT_TRUE(second->advances()) << second->process().err();
        for (const CudaProgram* member : {first.get(), second.get()}) {
            const Json queues = queues_of(member->pid());
            ASSERT_FALSE(queues.empty());
            EXPECT_EQ(queues[0].value("gang", ""), "train") << queues.dump();
        }
    }
    // Waits for a period in which neither member of the gang advances and `other` does: 200 ms, or longer with few
    // processors.
    bool both_make_room_for(const CudaProgram& other) const {
        return eventually([&] {
            const uint64_t before[] = {first->done(), second->done(), other.done()};
            const auto suspended = [&] {
                return first->done() <= before[0] + kStray && second->done() <= before[1] + kStray;
            };
            usleep(200'000);
            eventually([&] { return other.done() > before[2] + kStray || !suspended(); });
            return suspended() && other.done() > before[2] + kStray;
        });
    }
    void end(std::initializer_list<CudaProgram*> programs) {
        for (CudaProgram* program : programs) EXPECT_EQ(program->end(), 0) << program->process().err();
    }

    std::unique_ptr<CudaProgram> first, second;
};

}  // namespace xsched::test
