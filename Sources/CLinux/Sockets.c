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
