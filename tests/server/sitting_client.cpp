// A program for containers: sitting_client SOCKET NAME. It has one queue with work, until it is ended.
#include <unistd.h>

#include <cstdio>

#include "support/server_rig.h"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    xsched::test::TestClient client(argv[1], argv[2]);
    if (!client.connected()) return 1;
    client.add_queue(0, 0, 0x1);
    client.submit(0);
    puts("sits");
    fflush(stdout);
    for (;;) pause();
}
