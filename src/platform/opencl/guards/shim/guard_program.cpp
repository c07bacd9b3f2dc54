#include "platform/opencl/guards/shim/guard_program.h"

#include <cstring>
#include <new>

#include "base/log.h"
#include "platform/opencl/guards/shim/guard_source.h"
#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {
namespace {

std::atomic<bool> g_left_alone_logged{false};

std::string program_text(cl_program program, cl_program_info what) {
    size_t bytes = 0;
    const auto ask = below<kEntry_clGetProgramInfo>();
    if (ask(program, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (ask(program, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(strnlen(text.data(), bytes));
    return text;
}

std::string build_text(cl_program program, cl_device_id device, cl_program_build_info what) {
    size_t bytes = 0;
    const auto ask = below<kEntry_clGetProgramBuildInfo>();
    if (ask(program, device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (ask(program, device, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(strnlen(text.data(), bytes));
    return text;
}

// Returns the devices that the program is built for.
std::vector<cl_device_id> devices_of(cl_program program) {
    cl_uint count = 0;
    below<kEntry_clGetProgramInfo>()(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr);
    std::vector<cl_device_id> all(count);
    std::vector<cl_device_id> built;
    if (count == 0 || below<kEntry_clGetProgramInfo>()(program, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id),
                                                       all.data(), nullptr) != CL_SUCCESS)
        return built;
    for (cl_device_id device : all) {
        cl_build_status status = CL_BUILD_NONE;
        below<kEntry_clGetProgramBuildInfo>()(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                                              nullptr);
        if (status == CL_BUILD_SUCCESS) built.push_back(device);
    }
    return built;
}

cl_context context_of(cl_program program) {
    cl_context context = nullptr;
    below<kEntry_clGetProgramInfo>()(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr);
    return context;
}

cl_program with_source(cl_context context, const std::string& text) {
    const char* start = text.c_str();
    const size_t length = text.size();
    return below<kEntry_clCreateProgramWithSource>()(context, 1, &start, &length, nullptr);
}

void say_why(cl_program program, cl_device_id device) {
    if (!base::log_enabled(base::LogLevel::kDebug)) return;
    const std::string log = build_text(program, device, CL_PROGRAM_BUILD_LOG);
    XLOG_DEBG("the guarded text does not build: %.600s", log.c_str());
}

// Guards the text. `guarded`: receives the kernels of `names` that the text defines.
GuardedSource guard_text(const std::string& text, const std::vector<std::string>& names, SourcePart part,
                         std::vector<std::string>& guarded) {
    GuardedSource made = guard_source(text, names, part);
    guarded.insert(guarded.end(), made.guarded.begin(), made.guarded.end());
    return made;
}

cl_program build_whole(cl_program program, const std::vector<cl_device_id>& devices,
                       const std::vector<std::string>& names, std::vector<std::string>& guarded) {
    const std::string source = program_text(program, CL_PROGRAM_SOURCE);
    if (source.empty()) {
        left_alone(names[0].c_str(), "its program has no source");
        return nullptr;
    }
    const GuardedSource made = guard_text(source, names, SourcePart::kWhole, guarded);
    for (const LeftAlone& kernel : made.left_alone) left_alone(kernel.kernel.c_str(), kernel.why);
    if (made.text.empty()) return nullptr;
    cl_program built = with_source(context_of(program), made.text);
    if (built == nullptr) return nullptr;
    const std::string options = build_text(program, devices[0], CL_PROGRAM_BUILD_OPTIONS) + " -cl-kernel-arg-info";
    if (below<kEntry_clBuildProgram>()(built, static_cast<cl_uint>(devices.size()), devices.data(), options.c_str(),
                                       nullptr, nullptr) == CL_SUCCESS)
        return built;
    left_alone(names[0].c_str(), "its program does not build with guards");
    say_why(built, devices[0]);
    below<kEntry_clReleaseProgram>()(built);
    return nullptr;
}

// Compiles one text: with guards if it has kernels to guard, otherwise unchanged. Returns a reference for the caller.
cl_program compile_part(const CompiledPart& part, const std::vector<cl_device_id>& devices,
                        const std::vector<std::string>& names, std::vector<std::string>& guarded) {
    const SourcePart which = guarded.empty() ? SourcePart::kFirst : SourcePart::kOther;
    const GuardedSource made = guard_text(program_text(part.program, CL_PROGRAM_SOURCE), names, which, guarded);
    if (made.text.empty()) {
        below<kEntry_clRetainProgram>()(part.program);
        return part.program;
    }
    cl_program compiled = with_source(context_of(part.program), made.text);
    if (compiled == nullptr) return nullptr;
    std::vector<const char*> header_names;
    for (const std::string& name : part.header_names) header_names.push_back(name.c_str());
    const std::string options = part.options + " -cl-kernel-arg-info";
    const auto count = static_cast<cl_uint>(part.headers.size());
    if (below<kEntry_clCompileProgram>()(compiled, static_cast<cl_uint>(devices.size()), devices.data(),
                                         options.c_str(), count, count != 0 ? part.headers.data() : nullptr,
                                         count != 0 ? header_names.data() : nullptr, nullptr, nullptr) == CL_SUCCESS)
        return compiled;
    say_why(compiled, devices[0]);
    below<kEntry_clReleaseProgram>()(compiled);
    return nullptr;
}

// Returns the kernels that no text uses in a way that the guard would break.
std::vector<std::string> guardable(const std::vector<CompiledPart>& parts, std::vector<std::string> names) {
    for (const CompiledPart& part : parts) {
        const GuardedSource made = guard_source(program_text(part.program, CL_PROGRAM_SOURCE), names);
        for (const LeftAlone& kernel : made.left_alone) {
            if (kernel.absent) continue;
            left_alone(kernel.kernel.c_str(), kernel.why);
            std::erase(names, kernel.kernel);
        }
    }
    return names;
}

cl_program link_parts(cl_program program, const std::vector<CompiledPart>& parts,
                      const std::vector<cl_device_id>& devices, const std::vector<std::string>& names,
                      std::vector<std::string>& guarded) {
    std::vector<cl_program> compiled;
    const std::vector<std::string> wanted = guardable(parts, names);
    for (const CompiledPart& part : parts) {
        cl_program made = compile_part(part, devices, wanted, guarded);
        if (made == nullptr) break;
        compiled.push_back(made);
    }
    cl_program linked = nullptr;
    cl_int code = CL_INVALID_PROGRAM;
    if (compiled.size() == parts.size() && !guarded.empty()) {
        const std::string options = build_text(program, devices[0], CL_PROGRAM_BUILD_OPTIONS) + " -cl-kernel-arg-info";
        linked = below<kEntry_clLinkProgram>()(context_of(program), static_cast<cl_uint>(devices.size()),
                                               devices.data(), options.c_str(), static_cast<cl_uint>(compiled.size()),
                                               compiled.data(), nullptr, nullptr, &code);
    }
    for (cl_program part : compiled) below<kEntry_clReleaseProgram>()(part);
    if (linked != nullptr && code == CL_SUCCESS) return linked;
    left_alone(names[0].c_str(), "the texts its program is linked from do not build with guards");
    if (linked != nullptr) below<kEntry_clReleaseProgram>()(linked);
    return nullptr;
}

template <typename Value>
bool argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, Value& value) {
    return below<kEntry_clGetKernelArgInfo>()(kernel, index, what, sizeof value, &value, nullptr) == CL_SUCCESS;
}

// Stores in `kind` which kind of value the argument takes. Returns false if the value cannot be kept until another pass
// (a sampler, a pipe), or if the driver does not tell.
bool kind_of(cl_kernel kernel, cl_uint index, ArgumentKind& kind) {
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_type_qualifier qualifiers = 0;
    char type[256] = {};
    if (!argument_info(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, space)) return false;
    if (!argument_info(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, qualifiers)) return false;
    if (below<kEntry_clGetKernelArgInfo>()(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type, nullptr) !=
        CL_SUCCESS)
        return false;
    if (std::strstr(type, "sampler") != nullptr || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE) != 0) return false;
    const bool memory = space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
                        std::strncmp(type, "image", 5) == 0;
    kind = memory                                 ? ArgumentKind::kMemory
           : space == CL_KERNEL_ARG_ADDRESS_LOCAL ? ArgumentKind::kLocal
                                                  : ArgumentKind::kValue;
    return true;
}

cl_uint argument_count(cl_kernel kernel) {
    cl_uint count = 0;
    below<kEntry_clGetKernelInfo>()(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    return count;
}

}  // namespace

void left_alone(const char* kernel, const char* why) {
    const bool first = !g_left_alone_logged.exchange(true);
    XSCHED_LOG(first ? base::LogLevel::kInfo : base::LogLevel::kDebug, "kernel '%s' stays at preempt level 1: %s%s",
               kernel, why, first ? " (of further kernels XLOG_LEVEL=DEBG tells)" : "");
}

cl_kernel GuardedKernel::take() {
    {
        base::Lock lock(mutex);
        if (!spare.empty()) {
            cl_kernel kernel = spare.back();
            spare.pop_back();
            return kernel;
        }
    }
    return below<kEntry_clCreateKernel>()(program, name.c_str(), nullptr);
}

void GuardedKernel::give_back(cl_kernel kernel) {
    base::Lock lock(mutex);
    spare.push_back(kernel);
}

void GuardedProgram::disown() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

GuardedProgram::~GuardedProgram() {
    for (GuardedKernel* kernel : kernels_) {
        for (cl_kernel spare : kernel->spare) below<kEntry_clReleaseKernel>()(spare);
        delete kernel;
    }
    if (tail_ != nullptr) below<kEntry_clReleaseKernel>()(tail_);
    if (program_ != nullptr) below<kEntry_clReleaseProgram>()(program_);
}

// Asks the driver about the guarded kernel. Returns false if the driver does not find the guard's parameters where they
// should be.
bool GuardedProgram::describe(cl_program original, const std::string& name) {
    cl_kernel theirs = below<kEntry_clCreateKernel>()(original, name.c_str(), nullptr);
    cl_kernel ours = below<kEntry_clCreateKernel>()(program_, name.c_str(), nullptr);
    const cl_uint count = theirs != nullptr ? argument_count(theirs) : 0;
    const char* why = nullptr;
    if (theirs == nullptr || ours == nullptr || argument_count(ours) != count + kGuardParameters)
        why = "its parameters are not what its text says";
    std::vector<ArgumentKind> kinds(count);
    for (cl_uint i = 0; why == nullptr && i < count; ++i)
        if (!kind_of(ours, i, kinds[i])) why = "it has a sampler, a pipe, or a parameter the driver does not describe";
    GuardedKernel* kernel = why == nullptr ? new (std::nothrow) GuardedKernel : nullptr;
    if (theirs != nullptr) below<kEntry_clReleaseKernel>()(theirs);
    if (kernel == nullptr) {
        if (ours != nullptr) below<kEntry_clReleaseKernel>()(ours);
        if (why != nullptr) left_alone(name.c_str(), why);
        return false;
    }
    kernel->name = name;
    kernel->arguments = std::move(kinds);
    kernel->program = program_;
    kernel->spare.push_back(ours);
    kernels_.push_back(kernel);
    XLOG_DEBG("kernel '%s' is guarded: preempt level 2", name.c_str());
    return true;
}

GuardedProgram* GuardedProgram::build(cl_program program, const std::vector<CompiledPart>& parts) {
    const std::vector<std::string> names = names_in(program_text(program, CL_PROGRAM_KERNEL_NAMES));
    const std::vector<cl_device_id> devices = devices_of(program);
    if (names.empty() || devices.empty()) return nullptr;
    std::vector<std::string> guarded;
    cl_program built = parts.empty() ? build_whole(program, devices, names, guarded)
                                     : link_parts(program, parts, devices, names, guarded);
    if (built == nullptr) return nullptr;
    auto* made = new (std::nothrow) GuardedProgram;
    if (made == nullptr) {
        below<kEntry_clReleaseProgram>()(built);
        return nullptr;
    }
    made->program_ = built;
    made->tail_ = below<kEntry_clCreateKernel>()(built, kTailKernel, nullptr);
    for (const std::string& name : guarded)
        if (made->tail_ != nullptr) made->describe(program, name);
    if (!made->kernels_.empty()) return made;
    made->disown();
    return nullptr;
}

GuardedKernel* GuardedProgram::find(const char* name) {
    for (GuardedKernel* kernel : kernels_)
        if (kernel->name == name) return kernel;
    return nullptr;
}

}  // namespace xsched::opencl
