// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <string.h>

enum { DESCRIPTORS_AT_MOST = 4 };

typedef union {
    struct cmsghdr header;
    char space[CMSG_SPACE(DESCRIPTORS_AT_MOST * sizeof(int))];
} descriptor_control;

ssize_t pictor_send_descriptors(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count)
{
    if (descriptor_count > DESCRIPTORS_AT_MOST) {
        errno = EINVAL;
        return -1;
    }
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    descriptor_control control;
    memset(&control, 0, sizeof control);
    if (descriptor_count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t pictor_receive_descriptors(
    int socket, void *bytes, size_t count, int *descriptors, size_t capacity, size_t *received)
{
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    descriptor_control control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *received = 0;
    ssize_t length;
    do length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_TRUNC);
    while (length < 0 && errno == EINTR);
    if (length < 0) return length;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < arrived; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (*received < capacity) descriptors[(*received)++] = descriptor;
            else close(descriptor);
        }
    }
    return length;
}
