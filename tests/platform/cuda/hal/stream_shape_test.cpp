// The layout that is learned of a driver's streams, and the handles that pass for streams. The stand-ins look as
// streams of a driver of the 580 series do: a small piece of memory that leads to a body, which leads back.
#include "platform/cuda/hal/stream_shape.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

namespace {

using namespace xsched::cuda;

struct Body {
    uint64_t before[11] = {1, 0, 0xc0de, 0, 0, 1};
    uintptr_t handle = 0;
    uint64_t behind[60] = {};
};
struct Handle {
    Body* body = nullptr;
    uint64_t more[2] = {};
};
struct Stream {
    Stream() {
        body->handle = reinterpret_cast<uintptr_t>(&handle);
        handle.body = body.get();
    }
    std::unique_ptr<Body> body = std::make_unique<Body>();
    Handle handle;
};

TEST(StreamShape, IsLearnedFromTwoStreams) {
    const Stream one;
    const Stream other;
    StreamShape shape;
    ASSERT_TRUE(learn_shape(&one.handle, &other.handle, &shape));
    EXPECT_EQ(shape.to_body, 0);
    EXPECT_EQ(shape.back, 11);
    const Stream third;
    for (const Stream* stream : {&one, &other, &third}) EXPECT_TRUE(has_shape(&stream->handle, shape));
}

TEST(StreamShape, NothingElsePasses) {
    const Stream one;
    const Stream other;
    StreamShape shape;
    ASSERT_TRUE(learn_shape(&one.handle, &other.handle, &shape));
    alignas(16) unsigned char zeroes[4096] = {};
    alignas(16) unsigned char letters[4096];
    for (size_t i = 0; i < sizeof letters; ++i) letters[i] = static_cast<unsigned char>(i * 37 + 11);
    EXPECT_FALSE(has_shape(zeroes, shape));
    EXPECT_FALSE(has_shape(letters, shape));
    EXPECT_FALSE(has_shape(reinterpret_cast<const void*>(uintptr_t{1234}), shape));
    EXPECT_FALSE(has_shape(one.body.get(), shape));
    const Handle copy = one.handle;
    EXPECT_FALSE(has_shape(&copy, shape)) << "its body leads back to another";
    Stream gone;
    gone.handle.body = reinterpret_cast<Body*>(uintptr_t{0x5a5a5a5a5a5a});  // the C library writes there what it needs
    EXPECT_FALSE(has_shape(&gone.handle, shape));
}

TEST(StreamShape, OneThatOnlyOneStreamHasIsNone) {
    const Stream one;
    Stream other;
    other.body->handle = 0;
    StreamShape shape;
    EXPECT_FALSE(learn_shape(&one.handle, &other.handle, &shape));
    EXPECT_FALSE(learn_shape(&one.handle, reinterpret_cast<const void*>(uintptr_t{1234}), &shape));
}

}  // namespace
