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

// ---- Files. Each returns -1 and sets errno on failure. ----

/// An unnamed file on the directory's file system (O_TMPFILE, open(2)); it vanishes unless it is linked.
int pictor_open_unnamed(int directory);

/// Gives an unnamed file its name: linkat(2) by way of /proc/self/fd, which needs no capability.
int pictor_link_unnamed(int file, int directory, const char *_Nonnull path);

/// A file in memory (memfd_create(2)).
int pictor_open_in_memory(const char *_Nonnull label);

/// Takes the exclusive lock of an open file without waiting (flock(2)).
int pictor_try_lock(int file);

int pictor_unlock(int file);

/// pthread_setname_np(3); at most 15 bytes.
void pictor_name_thread(unsigned long thread, const char *_Nonnull name);
