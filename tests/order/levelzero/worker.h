// One thread of the program: random commands on random queues and lists, which change the thread's own numbers, and the
// results that a sequential program would have.
#pragma once

#include <vector>

#include "order/levelzero/world.h"

namespace order::levelzero {

class Worker : public SequentialWorker<World, Signaller> {
public:
    Worker(World& world, Signaller& signaller, const Options& options, int index);
    ~Worker() override;

private:
    enum Place : uint32_t { kOrdered, kUnordered, kFirstQueue, kPlaces = kFirstQueue + kQueues };

    static constexpr uint32_t kNumbers = 64;
    static constexpr uint32_t kEvents = 400;

    void give() override;
    void settle() override;
    ze_event_handle_t next_event();
    std::vector<ze_event_handle_t> waits_for(Place place);
    void append(Place place);
    void execute(Place place);
    void give_kernel(ze_command_list_handle_t list, ze_event_handle_t signal, std::vector<ze_event_handle_t>& waits);
    void give_copy(ze_command_list_handle_t list, ze_event_handle_t signal, std::vector<ze_event_handle_t>& waits);
    ze_command_list_handle_t closed_list(ze_event_handle_t signal, std::vector<ze_event_handle_t>& waits);
    void wait_for_end();
    void renew_lists();

    ze_kernel_handle_t kernel_ = nullptr;
    ze_event_pool_handle_t pool_ = nullptr;
    std::vector<ze_event_handle_t> events_;
    uint32_t used_events_ = 0;
    std::vector<ze_command_list_handle_t> lists_;  // closed ones
    uint32_t used_lists_ = 0;
    ze_command_list_handle_t immediate_[2] = {};
    uint32_t* numbers_ = nullptr;
    uint32_t* copy_ = nullptr;
    uint32_t expected_ = 1;
    uint32_t expected_copy_ = 0;
    Place last_place_ = kOrdered;
    ze_event_handle_t last_ = nullptr;  // that the last command signals; null: none, and it was in the ordered list
};

}  // namespace order::levelzero
