// Tests that CUDA's and HIP's shims have in common, for a file with a fixture Commands: a stream and its XQueue, and
// the XQueue of the NULL stream.
TEST_F(Commands, ASuspendedStreamWaits) { expect_held_while_suspended(xqueue_, stream_); }
TEST_F(Commands, TheSuspendedNullStreamWaits) { expect_held_while_suspended(null_, nullptr); }
TEST_F(Commands, ASuspendedStreamWaitsAgainAndAgain) {
    for (int i = 0; i < 5; ++i) expect_held_while_suspended(xqueue_, stream_);
}
