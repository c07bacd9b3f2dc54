// Programs and kernels. A program is the list of kernels found in its source; what they do is builtin_kernels.cpp's.
#include <cctype>
#include <sstream>

#include "fake/opencl/builtin_kernels.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

using fake::give;
using fake::refuse;

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

fake::ArgumentKind argument_kind(const std::string& text) {
    if (text.find("local") != std::string::npos) return fake::ArgumentKind::kLocal;
    const bool pointer = text.find('*') != std::string::npos;
    const bool image = text.find("image") != std::string::npos;
    return pointer || image ? fake::ArgumentKind::kMemory : fake::ArgumentKind::kValue;
}

// Returns the kernel whose parameter list begins at `open`; the kernel's name stands before that.
fake::KernelSource read_kernel(const std::string& source, size_t open) {
    fake::KernelSource kernel;
    size_t end = open;
    while (end > 0 && std::isspace(static_cast<unsigned char>(source[end - 1])) != 0) --end;
    size_t begin = end;
    while (begin > 0 && is_word(source[begin - 1])) --begin;
    kernel.name = source.substr(begin, end - begin);
    std::istringstream parameters(source.substr(open + 1, source.find(')', open) - open - 1));
    for (std::string one; std::getline(parameters, one, ',');) {
        if (one.find_first_not_of(" \t\n") == std::string::npos || one == "void") continue;
        kernel.arguments.push_back(argument_kind(one));
    }
    return kernel;
}

std::vector<fake::KernelSource> find_kernels(const std::string& source) {
    std::vector<fake::KernelSource> kernels;
    constexpr std::string_view kWord = "kernel";
    for (size_t at = source.find(kWord); at != std::string::npos; at = source.find(kWord, at + 1)) {
        const bool prefix = at >= 2 && source.compare(at - 2, 2, "__") == 0;
        const size_t before = prefix ? at - 2 : at;
        if ((before > 0 && is_word(source[before - 1])) || is_word(source[at + kWord.size()])) continue;
        const size_t type = source.find("void", at);
        if (type == std::string::npos) break;
        const size_t open = source.find('(', type);
        if (open == std::string::npos) break;
        kernels.push_back(read_kernel(source, open));
    }
    return kernels;
}

cl_program make_program(cl_context context, std::string source, cl_int* errcode_ret) {
    auto* program = new _cl_program;
    program->context = fake::Ref(context);
    program->kernels = find_kernels(source);
    program->source = std::move(source);
    fake::put_error(errcode_ret, CL_SUCCESS);
    return program;
}

cl_kernel make_kernel(cl_program program, const fake::KernelSource& source) {
    auto* kernel = new _cl_kernel;
    kernel->program = fake::Ref(program);
    kernel->source = source;
    kernel->arguments.resize(source.arguments.size());
    return kernel;
}

std::string names_of(cl_program program) {
    std::string names;
    for (const auto& kernel : program->kernels) names += (names.empty() ? "" : ";") + kernel.name;
    return names;
}

cl_int build(cl_program program, void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
    const bool fails = program->source.find("#error") != std::string::npos;
    program->built = !fails;
    if (notify != nullptr) notify(program, user_data);
    return fails ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

}  // namespace

extern "C" {

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                                 const size_t* lengths, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (count == 0 || strings == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
        if (strings[i] == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
        if (lengths != nullptr && lengths[i] != 0) {
            source.append(strings[i], lengths[i]);
        } else {
            source.append(strings[i]);
        }
    }
    return make_program(context, std::move(source), errcode_ret);
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id* devices,
                                                 const size_t* lengths, const unsigned char** binaries,
                                                 cl_int* binary_status, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (num_devices == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr) {
        return refuse(errcode_ret, CL_INVALID_VALUE);
    }
    for (cl_uint i = 0; binary_status != nullptr && i < num_devices; ++i) binary_status[i] = CL_SUCCESS;
    return make_program(context, std::string(reinterpret_cast<const char*>(binaries[0]), lengths[0]), errcode_ret);
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                         const cl_device_id* devices, const char* names,
                                                         cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    if (num_devices == 0 || devices == nullptr || names == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    cl_program program = make_program(context, fake::builtin_source(names), errcode_ret);
    program->built = true;
    return program;
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void*, size_t, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    return refuse(errcode_ret, fake::good(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint, const cl_device_id*, const char*,
                                  void(CL_CALLBACK* notify)(cl_program, void*), void* user_data) {
    FAKE_ENTRY();
    if (!fake::good(program)) return CL_INVALID_PROGRAM;
    return build(program, notify, user_data);
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint, const cl_device_id*, const char*, cl_uint,
                                    const cl_program*, const char**, void(CL_CALLBACK* notify)(cl_program, void*),
                                    void* user_data) {
    FAKE_ENTRY();
    if (!fake::good(program)) return CL_INVALID_PROGRAM;
    return build(program, notify, user_data) == CL_SUCCESS ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE;
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint, const cl_device_id*, const char*, cl_uint count,
                                     const cl_program* programs, void(CL_CALLBACK* notify)(cl_program, void*),
                                     void* user_data, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(context)) return refuse(errcode_ret, CL_INVALID_CONTEXT);
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
        if (!fake::good(programs[i])) return refuse(errcode_ret, CL_INVALID_PROGRAM);
        source += programs[i]->source + "\n";
    }
    cl_program program = make_program(context, std::move(source), errcode_ret);
    build(program, notify, user_data);
    return program;
}

cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }
cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id) { return CL_SUCCESS; }

cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK*)(cl_program, void*), void*) {
    FAKE_ENTRY();
    return fake::good(program) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint, size_t, const void*) {
    FAKE_ENTRY();
    return fake::good(program) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t room, void* value,
                                    size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(program)) return CL_INVALID_PROGRAM;
    const auto& devices = program->context->devices;
    switch (name) {
        case CL_PROGRAM_REFERENCE_COUNT: return give(static_cast<cl_uint>(program->refs.load()), room, value, size_ret);
        case CL_PROGRAM_CONTEXT: return give(program->context.get(), room, value, size_ret);
        case CL_PROGRAM_NUM_DEVICES: return give(static_cast<cl_uint>(devices.size()), room, value, size_ret);
        case CL_PROGRAM_DEVICES: {
            std::vector<cl_device_id> list;
            for (const auto& it : devices) list.push_back(it.get());
            return fake::give_array(list, room, value, size_ret);
        }
        case CL_PROGRAM_SOURCE: return fake::give_text(program->source.c_str(), room, value, size_ret);
        case CL_PROGRAM_NUM_KERNELS: return give(program->kernels.size(), room, value, size_ret);
        case CL_PROGRAM_KERNEL_NAMES: return fake::give_text(names_of(program).c_str(), room, value, size_ret);
        case CL_PROGRAM_BINARY_SIZES:
            return fake::give_array(std::vector<size_t>(devices.size(), program->source.size()), room, value, size_ret);
        case CL_PROGRAM_BINARIES: {
            if (size_ret != nullptr) *size_ret = devices.size() * sizeof(void*);
            auto** out = static_cast<unsigned char**>(value);
            for (size_t i = 0; out != nullptr && i < devices.size(); ++i) {
                if (out[i] != nullptr) std::memcpy(out[i], program->source.data(), program->source.size());
            }
            return CL_SUCCESS;
        }
        default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t room, void* value, size_t* size_ret) {
    FAKE_ENTRY();
    if (!fake::good(program)) return CL_INVALID_PROGRAM;
    if (!fake::good(device)) return CL_INVALID_DEVICE;
    switch (name) {
        case CL_PROGRAM_BUILD_STATUS:
            return give(program->built ? cl_build_status{CL_BUILD_SUCCESS} : cl_build_status{CL_BUILD_ERROR}, room,
                        value, size_ret);
        case CL_PROGRAM_BUILD_OPTIONS:
        case CL_PROGRAM_BUILD_LOG: return fake::give_text("", room, value, size_ret);
        case CL_PROGRAM_BINARY_TYPE:
            return give(cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE}, room, value, size_ret);
        case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: return give(size_t{0}, room, value, size_ret);
        default: return CL_INVALID_VALUE;
    }
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* errcode_ret) {
    FAKE_ENTRY_HANDLE(errcode_ret);
    if (!fake::good(program)) return refuse(errcode_ret, CL_INVALID_PROGRAM);
    if (!program->built) return refuse(errcode_ret, CL_INVALID_PROGRAM_EXECUTABLE);
    if (name == nullptr) return refuse(errcode_ret, CL_INVALID_VALUE);
    for (const auto& source : program->kernels) {
        if (source.name != name) continue;
        fake::put_error(errcode_ret, CL_SUCCESS);
        return make_kernel(program, source);
    }
    return refuse(errcode_ret, CL_INVALID_KERNEL_NAME);
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel* kernels,
                                            cl_uint* num_kernels_ret) {
    FAKE_ENTRY();
    if (!fake::good(program)) return CL_INVALID_PROGRAM;
    if (!program->built) return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels != nullptr && num_kernels < program->kernels.size()) return CL_INVALID_VALUE;
    for (size_t i = 0; kernels != nullptr && i < program->kernels.size(); ++i) {
        kernels[i] = make_kernel(program, program->kernels[i]);
    }
    if (num_kernels_ret != nullptr) *num_kernels_ret = static_cast<cl_uint>(program->kernels.size());
    return CL_SUCCESS;
}
}
