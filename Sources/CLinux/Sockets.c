// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

int pictor_accept(int listener, struct sockaddr_storage *peer)
{
    socklen_t length = sizeof *peer;
    return accept4(
        listener, (struct sockaddr *)peer, peer ? &length : NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int pictor_bind(int socket, const void *address, socklen_t length)
{
    return bind(socket, (const struct sockaddr *)address, length);
}

int pictor_can_bind(int family, const void *address, socklen_t length)
{
    int descriptor = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 1;
    int result = bind(descriptor, (const struct sockaddr *)address, length);
    close(descriptor);
    return result == 0;
}
