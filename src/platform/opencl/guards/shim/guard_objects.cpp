#include "platform/opencl/guards/shim/guard_objects.h"

#include <new>
#include <utility>

#include "base/fork.h"
#include "base/pointer_map.h"
#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/guards/shim/guard.h"

namespace xsched::opencl {
namespace {

enum State : uint32_t {
    kNew,        // built or not: nothing was made of it yet
    kPreparing,  // a thread of this process (preparing) is building its twin; others wait
    kReady       // `guarded` is final until it is built again; nullptr: nothing to guard
};

// Returns the state while a thread of this process builds the guarded twin of a program (guard_program.h). It contains
// the generation of forks: in a forked child that thread does not exist, so the child sees another number and begins
// again.
uint32_t preparing() { return kPreparing | base::fork_generation() << 2; }

struct ProgramEntry {
    base::FutexWord state{kNew};
    std::atomic<int32_t> references{1};
    GuardedProgram* guarded = nullptr;  // an owner; changed by who is preparing, or before the program is shared
    CompiledPart compiled;              // headers retained
    std::vector<CompiledPart> parts;    // what it was linked from, retained with their headers
    ProgramEntry* next_spare = nullptr;
};

constinit base::PointerMap<ProgramEntry> g_programs;
constinit base::PointerMap<KernelEntry> g_kernels;
constinit base::Mutex g_spare_mutex;
constinit ProgramEntry* g_spare_programs = nullptr;
constinit KernelEntry* g_spare_kernels = nullptr;

template <typename Entry>
Entry* take(Entry*& spare) {
    {
        base::Lock lock(g_spare_mutex);
        if (spare != nullptr) return std::exchange(spare, spare->next_spare);
    }
    return new (std::nothrow) Entry;
}

template <typename Entry>
void give_back(Entry*& spare, Entry* entry) {
    base::Lock lock(g_spare_mutex);
    entry->next_spare = std::exchange(spare, entry);
}

template <typename Map, typename Key>
auto* find(const Map& map, Key key) {
    return key != nullptr ? map.find(key) : nullptr;
}

void release_all(std::vector<cl_program>& programs) {
    for (cl_program program : programs) below<kEntry_clReleaseProgram>()(program);
    programs.clear();
}

void forget_twin(ProgramEntry& entry) {
    if (entry.guarded != nullptr) std::exchange(entry.guarded, nullptr)->disown();
}

// Gives back everything the entry holds.
void empty(ProgramEntry& entry) {
    forget_twin(entry);
    release_all(entry.compiled.headers);
    entry.compiled = CompiledPart{};
    for (CompiledPart& part : entry.parts) {
        release_all(part.headers);
        below<kEntry_clReleaseProgram>()(part.program);
    }
    entry.parts.clear();
}

void retain_all(std::vector<cl_program>& list, cl_uint count, const cl_program* programs) {
    for (cl_uint i = 0; i < count && programs != nullptr; ++i)
        if (below<kEntry_clRetainProgram>()(programs[i]) == CL_SUCCESS) list.push_back(programs[i]);
}

// Returns the guarded twin of a built program. The twin is made when its first kernel is wanted.
GuardedProgram* twin_of(cl_program program) {
    ProgramEntry* entry = find(g_programs, program);
    if (entry == nullptr) return nullptr;
    for (;;) {
        uint32_t state = entry->state.load(std::memory_order_acquire);
        if (state == kReady) return entry->guarded;
        if (state == preparing()) {
            base::futex_wait(entry->state, state);
            continue;
        }
        if (!entry->state.compare_exchange_strong(state, preparing(), std::memory_order_acq_rel)) continue;
        entry->guarded = GuardedProgram::build(program, entry->parts);
        entry->state.store(kReady, std::memory_order_release);
        base::futex_wake_all(entry->state);
        return entry->guarded;
    }
}

void add_kernel(cl_kernel kernel, GuardedProgram* program, GuardedKernel* guarded, std::vector<Argument> arguments) {
    KernelEntry* entry = take(g_spare_kernels);
    if (entry == nullptr) return;
    program->own();
    entry->references.store(1, std::memory_order_relaxed);
    entry->shares_memory.store(false, std::memory_order_relaxed);
    entry->program = program;
    entry->kernel = guarded;
    entry->arguments = std::move(arguments);
    if (!g_kernels.insert(kernel, entry)) program->disown();
}

}  // namespace

KernelEntry* kernel_entry(cl_kernel kernel) { return find(g_kernels, kernel); }

bool guarding() { return xocl_guard_wanted(); }

void program_made(cl_program program) {
    if (program == nullptr) return;
    ProgramEntry* entry = g_programs.erase(program);  // of the same address, its end not seen
    if (entry != nullptr)
        empty(*entry);
    else
        entry = take(g_spare_programs);
    if (entry == nullptr) return;
    entry->state.store(kNew, std::memory_order_relaxed);
    entry->references.store(1, std::memory_order_relaxed);
    g_programs.insert(program, entry);
}

void program_compiled(cl_program program, const char* options, cl_uint count, const cl_program* headers,
                      const char** header_names) {
    ProgramEntry* entry = find(g_programs, program);
    if (entry == nullptr) return;
    release_all(entry->compiled.headers);
    entry->compiled = CompiledPart{};
    entry->compiled.options = options != nullptr ? options : "";
    retain_all(entry->compiled.headers, count, headers);
    for (cl_uint i = 0; i < count && header_names != nullptr; ++i)
        entry->compiled.header_names.emplace_back(header_names[i]);
}

void program_linked(cl_program program, cl_uint count, const cl_program* parts) {
    program_made(program);
    ProgramEntry* entry = find(g_programs, program);
    for (cl_uint i = 0; entry != nullptr && i < count && parts != nullptr; ++i) {
        if (below<kEntry_clRetainProgram>()(parts[i]) != CL_SUCCESS) continue;
        const ProgramEntry* known = find(g_programs, parts[i]);
        entry->parts.push_back(known != nullptr ? known->compiled : CompiledPart{});
        CompiledPart& part = entry->parts.back();
        part.program = parts[i];
        const std::vector<cl_program> headers = std::exchange(part.headers, {});
        retain_all(part.headers, static_cast<cl_uint>(headers.size()), headers.data());
    }
}

void program_building(cl_program program) {
    ProgramEntry* entry = find(g_programs, program);
    if (entry == nullptr || entry->state.load(std::memory_order_acquire) != kReady) return;
    forget_twin(*entry);
    entry->state.store(kNew, std::memory_order_release);
}

void program_retained(cl_program program) {
    if (ProgramEntry* entry = find(g_programs, program)) entry->references.fetch_add(1, std::memory_order_relaxed);
}

void program_releasing(cl_program program) {
    ProgramEntry* entry = find(g_programs, program);
    if (entry == nullptr || entry->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    g_programs.erase(program);
    empty(*entry);
    give_back(g_spare_programs, entry);
}

void kernel_made(cl_kernel kernel, cl_program program) {
    char name[1024] = {};
    if (kernel == nullptr ||
        below<kEntry_clGetKernelInfo>()(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, nullptr) != CL_SUCCESS)
        return;
    if (find(g_programs, program) == nullptr) return left_alone(name, "its program was not made from source");
    GuardedProgram* twin = twin_of(program);
    GuardedKernel* guarded = twin != nullptr ? twin->find(name) : nullptr;
    if (guarded != nullptr) add_kernel(kernel, twin, guarded, std::vector<Argument>(guarded->arguments.size()));
}

void kernel_cloned(cl_kernel kernel, cl_kernel source) {
    const KernelEntry* from = kernel != nullptr ? kernel_entry(source) : nullptr;
    if (from == nullptr) return;
    add_kernel(kernel, from->program, from->kernel, from->arguments);
    if (from->shares_memory.load(std::memory_order_relaxed)) kernel_shares_memory(kernel);
}

void kernel_retained(cl_kernel kernel) {
    if (KernelEntry* entry = kernel_entry(kernel)) entry->references.fetch_add(1, std::memory_order_relaxed);
}

void kernel_releasing(cl_kernel kernel) {
    KernelEntry* entry = kernel_entry(kernel);
    if (entry == nullptr || entry->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    g_kernels.erase(kernel);
    std::exchange(entry->program, nullptr)->disown();
    entry->kernel = nullptr;
    give_back(g_spare_kernels, entry);
}

void kernel_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    KernelEntry* entry = kernel_entry(kernel);
    if (entry == nullptr || index >= entry->arguments.size()) return;
    Argument& argument = entry->arguments[index];
    argument.set = true;
    argument.size = size;
    const auto* bytes = static_cast<const unsigned char*>(value);
    if (value == nullptr)
        argument.value.clear();
    else
        argument.value.assign(bytes, bytes + size);
}

void kernel_shares_memory(cl_kernel kernel) {
    if (KernelEntry* entry = kernel_entry(kernel)) entry->shares_memory.store(true, std::memory_order_relaxed);
}

}  // namespace xsched::opencl
