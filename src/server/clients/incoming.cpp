#include "server/clients/incoming.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace xsched::server {

Incoming look_at_incoming(int socket) {
    char first = 0;
    iovec content{&first, 1};
    msghdr message{};  // no room for descriptors, so they stay in the queue
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    ssize_t bytes = -1;
    do bytes = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);
    while (bytes < 0 && errno == EINTR);
    if (bytes < 0) return errno == EAGAIN ? Incoming::kNothing : Incoming::kEnd;
    if ((message.msg_flags & MSG_CTRUNC) != 0) return Incoming::kDescriptors;
    return bytes == 0 ? Incoming::kEnd : Incoming::kPlain;
}

bool has_read_all(int socket) {
    int bytes = 0;
    return ioctl(socket, SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

}  // namespace xsched::server
