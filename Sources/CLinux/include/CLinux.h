// SPDX-License-Identifier: Apache-2.0
// Linux's door: system calls and constants that Glibc's Swift module leaves out or that are variadic.
//
// _GNU_SOURCE is for CLinux.c alone: it changes types (fd_set, rusage's "who"), and a file that imports Glibc beside this
// module would then see two definitions of them. What needs it is a function below.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// ---- Sockets. ----

/// accept4(2): non-blocking, close-on-exec. `peer` may be NULL.
int pictor_accept(int listener, struct sockaddr_storage *_Nullable peer);

/// bind(2), without the cast that Swift cannot write.
int pictor_bind(int socket, const void *_Nonnull address, socklen_t length);

/// Names the calling thread, at most 15 bytes (pthread_setname_np(3)).
void pictor_name_this_thread(const char *_Nonnull name);

/// pipe2(2), which <unistd.h> keeps behind _GNU_SOURCE.
int pipe2(int descriptors[_Nonnull 2], int flags);

// ---- End of sockets. ----
