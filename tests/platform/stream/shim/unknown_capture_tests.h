// Tests that CUDA's and HIP's shims have in common, about captures that begin, or end, by functions that the table does
// not know: the driver knows of them, and so do we. For a file with a fixture UnknownCapture: a stream with its XQueue,
// xqueue_, functions that begin and end a capture of a stream, known ones and unknown ones, and the number of a graph's
// nodes, after which the graph is gone.
namespace unknown_capture {

constexpr int kLaunches = 1000;  // more than a closed queue takes

// Launches into the stream that is captured, while its queue is suspended: a launch that counted as work would wait.
template <typename Fixture>
void expect_launches_wait_for_nothing(Fixture& test, XQueueHandle xqueue) {
    ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
    const int64_t before = test.commands_of(xqueue);
    std::atomic<int> done{0};
    std::thread program([&] {
        test.begin_thread();
        for (; done < kLaunches; ++done) ASSERT_EQ(test.append(test.stream_, 1), test.kSuccess);
    });
    EXPECT_TRUE(eventually([&] { return done == kLaunches; })) << "the thread stands after " << done;
    EXPECT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess);
    program.join();
    EXPECT_EQ(test.commands_of(xqueue), before) << "launches into a graph are no commands";
}

}  // namespace unknown_capture

TEST_F(UnknownCapture, ItsLaunchesAreNoCommands) {
    begin_unknown(stream_);
    unknown_capture::expect_launches_wait_for_nothing(*this, xqueue_);
    end_known(stream_);
    EXPECT_EQ(nodes(), size_t{unknown_capture::kLaunches});
    expect_held_while_suspended(xqueue_, stream_);
}

TEST_F(UnknownCapture, TheNextOneIsKnownAsOne) {
    begin_unknown(stream_);
    ASSERT_EQ(append(stream_, 1), kSuccess);
    end_known(stream_);
    EXPECT_EQ(nodes(), 1u);
    synchronize(stream_);
    const int64_t before = commands_of(xqueue_);
    begin_known(stream_);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(append(stream_, 1), kSuccess);
    end_known(stream_);
    EXPECT_EQ(nodes(), 100u);
    EXPECT_EQ(commands_of(xqueue_), before);
    EXPECT_EQ(state_of(xqueue_), kQueueStateIdle) << "nothing of it has run";
    begin_known(stream_);
    unknown_capture::expect_launches_wait_for_nothing(*this, xqueue_);
    end_known(stream_);
    EXPECT_EQ(nodes(), size_t{unknown_capture::kLaunches});
}

TEST_F(UnknownCapture, AfterAnUnknownEndLaunchesAreCommandsAgain) {
    begin_known(stream_);
    ASSERT_EQ(append(stream_, 1), kSuccess);
    end_unknown(stream_);
    EXPECT_EQ(nodes(), 1u);
    expect_command(xqueue_, "a launch", [this] { return append(stream_, 1); });
    synchronize(stream_);
    expect_held_while_suspended(xqueue_, stream_);
}

TEST_F(UnknownCapture, OfAThreadsOwnStreamEndsWithTheThread) {
    std::thread([&] {
        begin_thread();
        const XQueueHandle own = used_xqueue_of(kThreadsOwn);
        begin_known(kThreadsOwn);
        const int64_t before = commands_of(own);
        ASSERT_EQ(append(kThreadsOwn, 1), kSuccess);
        EXPECT_EQ(commands_of(own), before);
        end_unknown(kThreadsOwn);
    }).join();
    EXPECT_EQ(nodes(), 1u);
    begin_unknown(stream_);  // others are as before
    unknown_capture::expect_launches_wait_for_nothing(*this, xqueue_);
    end_unknown(stream_);
    EXPECT_EQ(nodes(), size_t{unknown_capture::kLaunches});
}
