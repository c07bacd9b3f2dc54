%% An OpenCL client in Erlang: copies there and back by Debian's module cl, which waits for events in threads.
-module(client).
-export([main/0]).

main() ->
    {ok, [Platform | _]} = cl:get_platform_ids(),
    {ok, [Device | _]} = cl:get_device_ids(Platform, all),
    {ok, Context} = cl:create_context([Device]),
    {ok, Queue} = cl:create_queue(Context, Device, []),
    {ok, Buffer} = cl:create_buffer(Context, [read_write], 4096),
    io:format("~p~n", [lists:usort([there_and_back(Queue, Buffer, N) || N <- lists:seq(1, 100)])]),
    halt(0).

there_and_back(Queue, Buffer, N) ->
    Data = binary:copy(<<N:32>>, 1024),
    {ok, Written} = cl:enqueue_write_buffer(Queue, Buffer, 0, 4096, Data, []),
    {ok, Read} = cl:enqueue_read_buffer(Queue, Buffer, 0, 4096, [Written]),
    ok = cl:flush(Queue),
    {ok, completed} = cl:wait(Written, 5000),
    {ok, Data} = cl:wait(Read, 5000),
    right.
