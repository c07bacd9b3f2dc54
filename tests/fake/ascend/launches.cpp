// Kernels, copies and host functions.
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "fake/ascend/layer.h"

using namespace acl_layer;

namespace acl_layer {

// A kernel of any context: the module is loaded once in each.
CUfunction function_named(const char* name) {
    static std::mutex mutex;
    static auto& all = *new std::unordered_map<std::string, CUfunction>;
    CUcontext context = nullptr;
    unsigned long long number = 0;  // no other context ever has it
    cu().cuCtxGetCurrent(&context);
    cu().cuCtxGetId(context, &number);
    const std::lock_guard lock(mutex);
    CUfunction& function = all[std::to_string(number) + name];
    CUmodule module = nullptr;
    if (function == nullptr && cu().cuModuleLoadData(&module, "kernels") == CUDA_SUCCESS)
        cu().cuModuleGetFunction(&function, module, name);
    return function;
}

aclError launch(const Kernel& kernel, CUstream stream) {
    unsigned char arguments[sizeof kernel.arguments];
    std::memcpy(arguments, kernel.arguments, sizeof arguments);
    size_t bytes = kernel.bytes;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return code_of(cu().cuLaunchKernel(kernel.function, kernel.threads, 1, 1, 1, 1, 1, 0, stream, nullptr, extra));
}

}  // namespace acl_layer

aclError aclrtBinaryGetFunction(void*, const char* name, aclrtFuncHandle* function) {
    *function = reinterpret_cast<aclrtFuncHandle>(function_named(name));
    return *function != nullptr ? ACL_SUCCESS : kInvalid;
}

aclError rtKernelLaunch(const void* function, uint32_t blocks, void* arguments, uint32_t bytes, void*,
                        aclrtStream stream) {
    return launch_or_record(reinterpret_cast<aclrtFuncHandle>(const_cast<void*>(function)), blocks, arguments, bytes,
                            stream);
}
aclError aclrtLaunchKernel(aclrtFuncHandle function, uint32_t blocks, const void* arguments, size_t bytes,
                           aclrtStream stream) {
    return THROUGH_EXPORT(rtKernelLaunch)(function, blocks, const_cast<void*>(arguments), static_cast<uint32_t>(bytes),
                                          nullptr, stream);
}

aclError rtMemcpyAsync(void* to, uint64_t most, const void* from, uint64_t bytes, int, aclrtStream stream) {
    if (bytes > most || !may_get(stream, "a copy")) return kInvalid;
    if (loses_a_copy()) return ACL_SUCCESS;
    return code_of(cu().cuMemcpyAsync(at(to), at(from), bytes, cu_stream(stream)));
}
aclError aclrtMemcpyAsync(void* to, size_t most, const void* from, size_t bytes, int kind, aclrtStream stream) {
    return THROUGH_EXPORT(rtMemcpyAsync)(to, most, from, bytes, kind, stream);
}
aclError rtMemsetAsync(void* memory, uint64_t most, uint32_t value, uint64_t bytes, aclrtStream stream) {
    if (bytes > most || !may_get(stream, "a fill")) return kInvalid;
    return code_of(cu().cuMemsetD8Async(at(memory), static_cast<unsigned char>(value), bytes, cu_stream(stream)));
}
aclError aclrtMemsetAsync(void* memory, size_t most, int32_t value, size_t bytes, aclrtStream stream) {
    return THROUGH_EXPORT(rtMemsetAsync)(memory, most, static_cast<uint32_t>(value), bytes, stream);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, void* function, void* argument) {
    if (!may_get(stream, "a host function")) return kInvalid;
    return code_of(cu().cuLaunchHostFunc(cu_stream(stream), reinterpret_cast<CUhostFn>(function), argument));
}
