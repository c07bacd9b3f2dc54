#include "platform/stream/hal/linker.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace xsched::stream {
namespace {

TEST(Linker, OpensAndLooksUpAsTheCLibraryDoes) {
    void* library = linker_dlopen()("libm.so.6", RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_EQ(linker_dlsym()(library, "cos"), dlsym(library, "cos"));
    EXPECT_EQ(linker_dlsym()(library, "a_function_that_no_library_has"), nullptr);
    dlclose(library);
}

TEST(Linker, WhatDoesNotExistIsNotOpened) {
    EXPECT_EQ(linker_dlopen()("/no/such/library.so", RTLD_NOW), nullptr);
    EXPECT_NE(dlerror(), nullptr);
}

}  // namespace
}  // namespace xsched::stream
