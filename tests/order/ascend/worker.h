// One thread of the program: random commands in random streams, which change the thread's own numbers, and the results
// that a sequential program would have.
#pragma once

#include "order/ascend/world.h"

namespace order::ascend {

class Worker : public SequentialWorker<World, Signaller> {
public:
    Worker(World& world, Signaller& signaller, const Options& options, int index);
    ~Worker() override;

private:
    static constexpr uint32_t kNumbers = 16;  // as many as a model of the stand-in changes

    // The arguments of a kernel.
    struct Append {
        void* numbers;
        uint32_t value, count;
    };

    void give() override;
    void settle() override;
    aclrtStream any_stream();
    void come_behind_the_last(aclrtStream stream);
    void append(aclrtStream stream, uint32_t value);
    void append_by_model(aclrtStream stream, uint32_t value);
    void append_by_graph(aclrtStream stream, uint32_t value);
    void copy(aclrtStream stream);
    void wait_for_last();
    void expect(uint32_t value) { expected_ = expected_ * 31 + value; }

    aclrtStream own_ = nullptr;
    aclrtStream last_ = nullptr;  // of the last command
    aclrtEvent event_ = nullptr;
    void* numbers_ = nullptr;
    uint32_t* copy_ = nullptr;
    uint32_t expected_ = 0;
    uint32_t expected_copy_ = 0;
    aclmdlRI graph_ = nullptr;  // the last one that was captured
};

}  // namespace order::ascend
