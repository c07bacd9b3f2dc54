// Kernels in all forms of launch, sets, and host functions.
#include "order/cuda/worker.h"

namespace order::cuda {
namespace {

constexpr unsigned kBlock = 16;
constexpr unsigned kGrid = kWords / kBlock;

struct Wide {
    uint32_t lanes[8];
};

// The argument of a host function in a stream. The host function deletes it.
struct HostWork {
    uint32_t* word;
    uint32_t value;
};

void host_append(void* data) {
    const std::unique_ptr<HostWork> work(static_cast<HostWork*>(data));
    *work->word = *work->word * 31 + work->value;
}
void callback_append(CUstream, CUresult status, void* data) {
    if (status != CUDA_SUCCESS) violation("a callback got status %d", static_cast<int>(status));
    host_append(data);
}

}  // namespace

CUresult Worker::launch_append(const Context& context, const Target& to, CUdeviceptr address, uint32_t value) {
    const Kernels& kernels = random_.once_in(3) ? context.library_kernels : context.kernels;
    uint32_t count = kWords;
    void* parameters[] = {&address, &value, &count};
    switch (random_.below(5)) {
        case 0: {
            struct {
                CUdeviceptr address;
                uint32_t value, count;
            } packed{address, value, count};
            size_t bytes = sizeof packed;
            void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                             CU_LAUNCH_PARAM_END};
            return to.api.cuLaunchKernel(kernels.append, kGrid, 1, 1, kBlock, 1, 1, 0, to.handle, nullptr, extra);
        }
        case 1: {
            CUlaunchConfig config{};
            config.gridDimX = kGrid;
            config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
            config.blockDimX = kBlock;
            config.hStream = to.handle;
            return to.api.cuLaunchKernelEx(&config, kernels.append, parameters, nullptr);
        }
        case 2: {
            Wide wide{};
            for (uint32_t i = 0; i < 8; ++i) {
                wide.lanes[i] = value >> i;
                value -= wide.lanes[i];
            }
            wide.lanes[7] += value;  // their sum is what it was
            void* wide_parameters[] = {&address, &wide, &count};
            const CUresult result = to.api.cuLaunchKernel(kernels.append_wide, kGrid, 1, 1, kBlock, 1, 1, 0, to.handle,
                                                          wide_parameters, nullptr);
            wide = {};
            return result;
        }
        case 3:
            return to.api.cuLaunchCooperativeKernel(kernels.append, kGrid, 1, 1, kBlock, 1, 1, 0, to.handle,
                                                    parameters);
        default: {
            const CUresult result =
                to.api.cuLaunchKernel(kernels.append, kGrid, 1, 1, kBlock, 1, 1, 0, to.handle, parameters, nullptr);
            address = 0;  // arguments are taken at the launch
            return result;
        }
    }
}

void Worker::run_append(Context& context) {
    const auto [lock, buffer, stream] = next_turn(context, context.buffers);
    if (buffer == nullptr) return;
    const uint32_t value = random_.next();
    Activity::set("cuLaunchKernel");
    expect_success(launch_append(context, target(*stream), buffer->address, value), "a kernel launch");
    buffer->apply(append_step(value));
    accessed(stream, {buffer}, "append");
}

void Worker::run_mix(Context& context) {
    Lock to_lock, from_lock;
    Buffer* to = take(context.buffers, to_lock);
    Buffer* from = to != nullptr ? take(context.buffers, from_lock) : nullptr;
    if (from == nullptr) return;
    const StreamPtr stream = pick_stream(context);
    follow(stream, *to);
    follow(stream, *from);
    uint32_t value = random_.next(), count = kWords;
    void* parameters[] = {&to->address, &from->address, &value, &count};
    const Target where = target(*stream);
    Activity::set("cuLaunchKernel (mix)");
    expect_success(
        where.api.cuLaunchKernel(context.kernels.mix, kGrid, 1, 1, kBlock, 1, 1, 0, where.handle, parameters, nullptr),
        "cuLaunchKernel");
    to->apply(mix_step(from->model, value), from);
    accessed(stream, {to, from}, "mix");
}

void Worker::run_set(Context& context) {
    Lock lock;
    Buffer* buffer = take(context.buffers, lock);
    if (buffer == nullptr) return;
    const uint32_t value = random_.next() & 0xff;
    const uint32_t how = may_be_synchronous() ? random_.below(6) : 1 + random_.below(5);
    const bool synchronous = how == 0;
    const StreamPtr stream = synchronous ? synchronous_stream(context) : pick_stream(context);
    follow(stream, *buffer);
    const Target to = target(*stream);
    const Api& synchronous_api = default_api(*stream);
    CUresult result = CUDA_SUCCESS;
    uint32_t word = value;
    Activity::set("a memset");
    switch (how) {
        case 0: {
            const std::shared_lock unsafe(unsafe_calls());  // it may end in a wait for the stream
            result = synchronous_api.cuMemsetD32_v2(buffer->address, value, kWords);
            break;
        }
        case 1:
            result = to.api.cuMemsetD8Async(buffer->address, static_cast<unsigned char>(value), kBytes, to.handle);
            word = value * 0x01010101U;
            break;
        case 2:
            result =
                to.api.cuMemsetD16Async(buffer->address, static_cast<unsigned short>(value), kWords * 2, to.handle);
            word = value * 0x00010001U;
            break;
        case 3: result = to.api.cuMemsetD2D32Async(buffer->address, kBytes / 4, value, kWords / 4, 4, to.handle); break;
        default: result = to.api.cuMemsetD32Async(buffer->address, value, kWords, to.handle); break;
    }
    expect_success(result, "a memset");
    buffer->apply(fill_step(word));
    accessed(stream, {buffer}, "memset", {synchronous});
}

void Worker::run_host_function(Context& context) {
    const auto [lock, word, stream] = next_turn(context, context.host_words);
    if (word == nullptr) return;
    const uint32_t value = random_.next();
    const Target to = target(*stream);
    auto work = std::make_unique<HostWork>(HostWork{&word->host_word, value});
    Activity::set("cuLaunchHostFunc");
    const CUresult result = random_.once_in(3)
                                ? to.api.cuStreamAddCallback(to.handle, callback_append, work.release(), 0)
                                : to.api.cuLaunchHostFunc(to.handle, host_append, work.release());
    expect_success(result, "cuLaunchHostFunc");
    word->apply(append_step(value));
    accessed(stream, {word}, "host function");
}

}  // namespace order::cuda
