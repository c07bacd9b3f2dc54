// The launch of a guarded kernel in place of the program's own.
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/options.h"
#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/guards/shim/guard.h"
#include "platform/opencl/guards/shim/guard_objects.h"

namespace xsched::opencl {
namespace {

constexpr uint32_t kMeasureAgainEvery = 32;  // short launches without a guard, between two with one
constexpr float kNewest = 0.25F;             // share of the newest launch in the learned length

// The times of this thread's newest launch, for launched().
[[gnu::tls_model("initial-exec")]] thread_local void* t_times = nullptr;

// The data of a launch, kept until it is over.
struct Kept {
    GuardedProgram* program = nullptr;
    GuardedKernel* kernel = nullptr;
    cl_kernel instance = nullptr;
    double items = 0;
    std::vector<cl_mem> memory;

    ~Kept() {
        for (cl_mem object : memory) below<kEntry_clReleaseMemObject>()(object);
        if (instance != nullptr) kernel->give_back(instance);
        if (program != nullptr) program->disown();
    }
};

void learn(GuardedKernel& kernel, double items, int64_t length_ns) {
    if (length_ns <= 0) return;
    const auto now = static_cast<float>(static_cast<double>(length_ns) / items);
    const float before = kernel.item_ns.load(std::memory_order_relaxed);
    kernel.item_ns.store(before == 0 ? now : before + (now - before) * kNewest, std::memory_order_relaxed);
}

void launch_over(void* owner, int64_t length_ns, int mutual) {
    const std::unique_ptr<Kept> kept(static_cast<Kept*>(owner));
    if (mutual != 0) kept->kernel->mutual.store(true, std::memory_order_relaxed);
    learn(*kept->kernel, kept->items, length_ns);
}

// Returns whether the launch gets a guard: it is expected to take long enough that a stop in its middle is worth the
// guard's cost, its length is not known, or the length must be measured again.
bool worth_it(GuardedKernel& kernel, double items) {
    const auto least_ns = static_cast<double>(base::options().opencl_guard_us) * 1000;
    const double expected_ns = static_cast<double>(kernel.item_ns.load(std::memory_order_relaxed)) * items;
    if (expected_ns == 0 || expected_ns >= least_ns) return true;
    return kernel.unguarded.fetch_add(1, std::memory_order_relaxed) % kMeasureAgainEvery == kMeasureAgainEvery - 1;
}

// Returns the number of work-items; 0: the sizes are left to the driver to judge, or the work-groups are not all equal.
double work_items(cl_uint dimensions, const size_t* global, const size_t* local) {
    if (dimensions < 1 || dimensions > 3 || global == nullptr) return 0;
    double items = 1;
    for (cl_uint i = 0; i < dimensions; ++i) {
        if (local != nullptr && (local[i] == 0 || global[i] % local[i] != 0)) return 0;
        items *= static_cast<double>(global[i]);
    }
    return items;
}

bool set_arguments(const KernelEntry& entry, Kept& kept) {
    for (cl_uint i = 0; i < entry.arguments.size(); ++i) {
        const Argument& argument = entry.arguments[i];
        if (!argument.set) return false;
        const void* value = argument.value.empty() ? nullptr : argument.value.data();
        if (below<kEntry_clSetKernelArg>()(kept.instance, i, argument.size, value) != CL_SUCCESS) return false;
        if (entry.kernel->arguments[i] != ArgumentKind::kMemory || argument.value.size() != sizeof(cl_mem)) continue;
        cl_mem memory = nullptr;
        std::memcpy(&memory, argument.value.data(), sizeof memory);
        if (memory == nullptr) continue;
        if (below<kEntry_clRetainMemObject>()(memory) != CL_SUCCESS) return false;
        kept.memory.push_back(memory);
    }
    return true;
}

std::unique_ptr<Kept> prepare(const KernelEntry& entry, double items) {
    std::unique_ptr<Kept> kept(new (std::nothrow) Kept);
    if (kept == nullptr) return kept;
    entry.program->own();
    kept->program = entry.program;
    kept->kernel = entry.kernel;
    kept->items = items;
    kept->instance = entry.kernel->take();
    if (kept->instance == nullptr || !set_arguments(entry, *kept)) kept.reset();
    return kept;
}

// Launches the kernel's guarded twin. If anything goes wrong, the call goes to the driver as it is: the kernel then
// runs without a guard, or the driver says what is wrong with the call.
cl_int enqueue_guarded(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                       const size_t* global, const size_t* local, cl_uint count, const cl_event* wait_list,
                       cl_event* event) {
    const auto plain = below<kEntry_clEnqueueNDRangeKernel>();
    const KernelEntry* entry = kernel_entry(kernel);
    const double items = entry != nullptr && xocl_guards(queue) ? work_items(dimensions, global, local) : 0;
    if (entry == nullptr || items == 0 || entry->shares_memory.load(std::memory_order_relaxed) ||
        entry->kernel->mutual.load(std::memory_order_relaxed) || !worth_it(*entry->kernel, items))
        return plain(queue, kernel, dimensions, offset, global, local, count, wait_list, event);
    const int saved = errno;
    std::unique_ptr<Kept> kept = prepare(*entry, items);
    cl_int code = CL_OUT_OF_RESOURCES;
    if (kept != nullptr) {
        const XoclGuarded launch{kept->instance,
                                 kept->program->tail(),
                                 static_cast<cl_uint>(entry->arguments.size()),
                                 dimensions,
                                 offset,
                                 global,
                                 local,
                                 launch_over,
                                 kept.get()};
        code = xocl_guarded_launch(queue, &launch, count, wait_list, event, &t_times);
    }
    errno = saved;
    if (code != CL_SUCCESS) return plain(queue, kernel, dimensions, offset, global, local, count, wait_list, event);
    static_cast<void>(kept.release());  // launch_over has it  NOLINT(bugprone-unused-return-value)
    return CL_SUCCESS;
}

}  // namespace

GuardedNDRange::Type GuardedNDRange::driver() { return &enqueue_guarded; }

void GuardedNDRange::launched(cl_event event) {
    if (t_times != nullptr) xocl_times_keep(std::exchange(t_times, nullptr), event);
}

}  // namespace xsched::opencl
