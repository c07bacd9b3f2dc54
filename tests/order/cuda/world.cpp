#include "order/cuda/world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "order/cuda/kernels.h"
#include "order/cuda/parts.h"

namespace order::cuda {
namespace {

constexpr size_t kStreams = 6;
constexpr size_t kBuffers = 14;
constexpr size_t kHostWords = 3;
constexpr uint64_t kValueWords = 1 << 16;
// On HIP one device has one context: a fault or a reset that ends the context ends all streams of the device.
#ifdef ORDER_ON_HIP
constexpr bool kContextIsDevice = true;
#else
constexpr bool kContextIsDevice = false;
#endif

void need(CUresult code, const char* what) {
    if (code == CUDA_SUCCESS) return;
    std::fprintf(stderr, "order_check_cuda: cannot start: %s returned %d\n", what, static_cast<int>(code));
    std::exit(2);
}

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    api().cuDeviceGetAttribute(&value, which, device);
    return value;
}

Kernels kernels_of(CUmodule module) {
    Kernels kernels;
    need(api().cuModuleGetFunction(&kernels.append, module, "append"), "cuModuleGetFunction(append)");
    need(api().cuModuleGetFunction(&kernels.append_wide, module, "append_wide"), "cuModuleGetFunction(append_wide)");
    need(api().cuModuleGetFunction(&kernels.mix, module, "mix"), "cuModuleGetFunction(mix)");
    need(api().cuModuleGetFunction(&kernels.noop, module, "noop"), "cuModuleGetFunction(noop)");
    need(api().cuModuleGetFunction(&kernels.spin, module, "spin"), "cuModuleGetFunction(spin)");
    return kernels;
}

Kernels kernels_of(CUlibrary library) {
    const auto kernel = [&](const char* name) {
        CUkernel found = nullptr;
        need(api().cuLibraryGetKernel(&found, library, name), "cuLibraryGetKernel");
        return reinterpret_cast<CUfunction>(found);
    };
    return {kernel("append"), kernel("append_wide"), kernel("mix"), kernel("noop"), kernel("spin")};
}

std::unique_ptr<Buffer> new_buffer() {
    auto buffer = std::make_unique<Buffer>();
    need(api().cuMemAlloc_v2(&buffer->address, kBytes), "cuMemAlloc");
    need(api().cuMemsetD32_v2(buffer->address, 0, kWords), "cuMemsetD32");
    return buffer;
}

}  // namespace

Stream::Stream(Context& its_context, Sort its_sort, const void* its_owner)
    : context(its_context), sort(its_sort), owner(its_owner) {}

Stream::Stream(Context& its_context, bool blocking, int its_priority, const void* its_owner)
    : context(its_context),
      sort(blocking ? Sort::kBlocking : Sort::kNonBlocking),
      priority(its_priority),
      owner(its_owner) {
    const InContext inside(context);
    need(api().cuStreamCreateWithPriority(&handle, blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING, priority),
         "cuStreamCreateWithPriority");
    created_at = next_submission();
}

Stream::~Stream() {
    if (handle == nullptr) return;
    const InContext inside(context);
    expect_success(api().cuStreamDestroy_v2(handle), "cuStreamDestroy");
}

bool Stream::synchronizes_with(const Stream& other) const {
    if (&context != &other.context || sort == Sort::kNonBlocking || other.sort == Sort::kNonBlocking) return false;
    return (sort == Sort::kLegacy) != (other.sort == Sort::kLegacy);
}

InContext::InContext(const Context& context) {
    expect_success(api().cuCtxPushCurrent_v2(context.handle), "cuCtxPushCurrent");
}
InContext::~InContext() { expect_success(api().cuCtxPopCurrent_v2(nullptr), "cuCtxPopCurrent"); }

Context::Context(CUdevice its_device, bool is_primary) : device(its_device), primary(is_primary) {
    if (primary) {
        need(api().cuDevicePrimaryCtxRetain(&handle, device), "cuDevicePrimaryCtxRetain");
    } else {
        need(api().cuCtxCreate_v2(&handle, 0, device), "cuCtxCreate");
        need(api().cuCtxPopCurrent_v2(nullptr), "cuCtxPopCurrent");
    }
    const InContext inside(*this);
    need(api().cuModuleLoadData(&module, ::cuda::kKernels), "cuModuleLoadData");
    need(api().cuLibraryLoadData(&library, ::cuda::kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0),
         "cuLibraryLoadData");
    kernels = kernels_of(module);
    library_kernels = kernels_of(library);
    memory_pools = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
    value_operations = attribute(device, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1) != 0;
    void* memory = nullptr;
    need(api().cuMemHostAlloc(&memory, kValueWords * sizeof(uint32_t),
                              CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
         "cuMemHostAlloc");
    words_ = static_cast<uint32_t*>(memory);
    std::fill_n(words_, kValueWords, 0U);
    for (size_t i = 0; i < kBuffers; ++i) buffers.push_back(new_buffer());
    for (size_t i = 0; i < kHostWords; ++i) host_words.push_back(std::make_unique<Buffer>());
    const std::string where = primary ? " of the first context" : " of the second context";
    for (size_t i = 0; i < kBuffers; ++i) buffers[i]->history.set_name("buffer " + std::to_string(i) + where);
    for (size_t i = 0; i < kHostWords; ++i) host_words[i]->history.set_name("host word " + std::to_string(i) + where);
    legacy = std::make_shared<Stream>(*this, Sort::kLegacy, nullptr);
    need(api().cuCtxSynchronize(), "cuCtxSynchronize");
    Random random(static_cast<uint64_t>(device) + 1);
    for (size_t i = 0; i < kStreams; ++i) streams_.add(new_stream(random));
}

Context::~Context() {
    {
        const InContext inside(*this);
        expect_success(api().cuCtxSynchronize(), "cuCtxSynchronize");
    }
    streams_.clear();
    private_.clear();
    legacy.reset();
    {
        const InContext inside(*this);
        for (const auto& it : buffers) expect_success(api().cuMemFree_v2(it->address), "cuMemFree");
        expect_success(api().cuMemFreeHost(words_), "cuMemFreeHost");
        expect_success(api().cuLibraryUnload(library), "cuLibraryUnload");
        expect_success(api().cuModuleUnload(module), "cuModuleUnload");
    }
    if (primary)
        expect_success(api().cuDevicePrimaryCtxRelease_v2(device), "cuDevicePrimaryCtxRelease");
    else
        expect_success(api().cuCtxDestroy_v2(handle), "cuCtxDestroy");
}

StreamPtr Context::new_stream(Random& random) {
    const bool blocking = left_out(Part::kNonBlocking) || (random.once_in(3) && !left_out(Part::kBlocking));
    return std::make_shared<Stream>(*this, blocking, -static_cast<int>(random.below(4)), nullptr);
}

StreamPtr Context::any_stream(Random& random) {
    std::vector<StreamPtr> all = streams();
    for (StreamPtr& it : private_.all()) all.push_back(std::move(it));
    const size_t at = random.below(static_cast<uint32_t>(all.size() + 2));
    return at < all.size() ? all[at] : legacy;
}

// Returns a word that is used with a number of its own. The same word comes again only after kValueWords others, when
// the waits for its last number are long over.
ValueWord Context::value_word() {
    const uint64_t turn = next_word_.fetch_add(1);
    ValueWord word;
    word.host = words_ + turn % kValueWords;
    word.number = static_cast<uint32_t>(turn / kValueWords) + 1;
    expect_success(api().cuMemHostGetDevicePointer_v2(&word.address, word.host, 0), "cuMemHostGetDevicePointer");
    return word;
}

CUevent Context::new_event(bool timing) {
    CUevent event = nullptr;
    expect_success(api().cuEventCreate(&event, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    return event;
}

World::World(const Options& options) {
    if (!::cuda::available()) std::exit(77);
    int count = 0;
    need(api().cuDeviceGetCount(&count), "cuDeviceGetCount");
    char text[128] = "";
    need(api().cuDeviceGetName(text, sizeof text, 0), "cuDeviceGetName");
    name = text;
    if (!options.platform.empty() && name.find(options.platform) == std::string::npos) {
        std::fprintf(stderr, "order_check_cuda: the device is '%s', not '%s'\n", text, options.platform.c_str());
        std::exit(2);
    }
    contexts.push_back(std::make_unique<Context>(0, true));
    if (kContextIsDevice && count == 1) return;
    contexts.push_back(std::make_unique<Context>(count - 1, false));
}

// Objects that a buffer remembers may belong to another context.
World::~World() {
    for (const auto& context : contexts)
        for (auto* all : {&context->buffers, &context->host_words})
            for (const auto& it : *all) {
                it->last.reset();
                it->last_stream.reset();
            }
}

void World::check_buffers() {
    for (const auto& context : contexts) {
        const InContext inside(*context);
        expect_success(api().cuCtxSynchronize(), "cuCtxSynchronize");
        for (size_t i = 0; i < context->buffers.size(); ++i) {
            Buffer& buffer = *context->buffers[i];
            const std::lock_guard lock(buffer.mutex);
            Words words{};
            expect_success(api().cuMemcpyDtoH_v2(words.data(), buffer.address, kBytes), "cuMemcpyDtoH");
            if (words == buffer.model) continue;
            violation("buffer %zu does not hold what its commands must have left", i);
            buffer.history.explain(buffer.history.all(), words, buffer.model);
        }
        for (size_t i = 0; i < context->host_words.size(); ++i) {
            Buffer& buffer = *context->host_words[i];
            const std::lock_guard lock(buffer.mutex);
            if (buffer.host_word == buffer.model[0]) continue;
            violation("host functions left a wrong value in word %zu", i);
            buffer.history.explain(buffer.history.all(), {buffer.host_word}, buffer.model, 1);
        }
    }
}

void Buffer::apply(const Step& step, const Buffer* source) {
    step.apply(model);
    history.step(step, source != nullptr ? &source->history : nullptr);
}

}  // namespace order::cuda
