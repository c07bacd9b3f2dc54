// The OpenCL headers with everything deprecated still declared, and small helpers every entry point uses.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <cstring>

namespace fake {

extern const cl_icd_dispatch kDispatch;

inline void put_error(cl_int* errcode_ret, cl_int code) {
    if (errcode_ret != nullptr) *errcode_ret = code;
}
// `return refuse(errcode_ret, code)` in a function that returns a handle.
inline decltype(nullptr) refuse(cl_int* errcode_ret, cl_int code) {
    put_error(errcode_ret, code);
    return nullptr;
}

// Answers a clGet...Info query: copies the value if there is room for it, and stores its size if the program asks.
inline cl_int give_bytes(const void* data, size_t bytes, size_t room, void* value, size_t* size_ret) {
    if (value != nullptr) {
        if (room < bytes) return CL_INVALID_VALUE;
        if (bytes != 0) std::memcpy(value, data, bytes);
    }
    if (size_ret != nullptr) *size_ret = bytes;
    return CL_SUCCESS;
}
template <typename T>
cl_int give(const T& data, size_t room, void* value, size_t* size_ret) {
    return give_bytes(&data, sizeof data, room, value, size_ret);
}
inline cl_int give_text(const char* text, size_t room, void* value, size_t* size_ret) {
    return give_bytes(text, std::strlen(text) + 1, room, value, size_ret);
}
template <typename Vector>
cl_int give_array(const Vector& items, size_t room, void* value, size_t* size_ret) {
    return give_bytes(items.data(), items.size() * sizeof(items[0]), room, value, size_ret);
}

}  // namespace fake
