// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>

int pictor_open_unnamed(int directory) { return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0640); }

int pictor_link_unnamed(int file, int directory, const char *path) {
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, source, directory, path, AT_SYMLINK_FOLLOW);
}

int pictor_open_in_memory(const char *label) { return memfd_create(label, MFD_CLOEXEC); }

int pictor_try_lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

// ---- Decoder processes. ----
#include <string.h>
#include <sys/syscall.h>

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

int pictor_prctl(int option, unsigned long argument)
{
    return prctl(option, argument, 0UL, 0UL, 0UL);
}

int pictor_pidfd_open(pid_t process)
{
    return (int)syscall(SYS_pidfd_open, process, 0U);
}

int pictor_close_from(unsigned int first)
{
    return close_range(first, ~0U, 0);
}

int pictor_pipe(int *ends) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int pictor_memory_file(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

int pictor_limit(int resource, uint64_t value)
{
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(resource, &limit);
}

int pictor_add_niceness(int increment)
{
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + increment);
}

int pictor_spawn_close_from(posix_spawn_file_actions_t *actions, int first)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
// ---- End of decoder processes. ----

// ---- Sockets. ----
#include <pthread.h>

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

void pictor_name_this_thread(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}
// ---- End of sockets. ----
int pictor_unlock(int file) { return flock(file, LOCK_UN); }

void pictor_name_thread(unsigned long thread, const char *name) { pthread_setname_np(thread, name); }

// ---- Clocks. ----
#include <time.h>

int64_t pictor_wall_milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t pictor_monotonic_microseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}
