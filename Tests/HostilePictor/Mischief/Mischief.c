// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Mischief.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Each gives 0 or −1 and errno, as system calls do.

static int read_secret(int output) {
    const int file = open("/etc/passwd", O_RDONLY);
    return file < 0 ? -1 : 0;
}

static int list_folder(int output) { return open("/", O_RDONLY | O_DIRECTORY) < 0 ? -1 : 0; }

static int write_outside(int output) {
    return open("/tmp/pictor-mischief", O_WRONLY | O_CREAT, 0600) < 0 ? -1 : 0;
}

static int make_folder(int output) { return mkdir("/tmp/pictor-mischief", 0700); }

static int connect_out(int output) {
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return peer < 0 ? -1 : connect(peer, (const struct sockaddr *)&address, sizeof address);
}

static int run_program(int output) {
    char *const arguments[] = {"true", NULL}, *const none[] = {NULL};
    return execve("/bin/true", arguments, none);
}

static int fork_bomb(int output) {
    for (int i = 0; i < 64; i++) {
        const pid_t child = fork();
        if (child < 0) return -1;
        if (child == 0) _exit(0);
    }
    return 0;
}

static int signal_parent(int output) { return kill(getppid(), SIGTERM); }

static int own_signals(int output) {
    // Of another process, and by F_SETSIG another signal: its parent would be killed once something comes over the socket.
    return fcntl(3, F_SETOWN, getpid());
}

static int trace_parent(int output) { return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL); }

static int raise_limits(int output) {
    const struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &limit);
}

static int map_code(int output) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? -1 : 0;
}

static int allocate(int output) {
    // 8 GiB in all: no picture needs it, and no jail should give it. Then by the megabyte, so that no picture finds room in
    // what is left.
    for (int i = 0; i < 512; i++) {
        char *block = malloc(16 << 20);
        if (!block) {
            while (malloc(1 << 20)) {}
            return -1;
        }
        *block = 1;
    }
    return 0;
}

static int fill_output(int output) {
    static char block[1 << 20];
    for (int i = 0; i < 4096; i++) {
        if (write(output, block, sizeof block) < (ssize_t)sizeof block) return -1;
    }
    return 0;
}

static int keep(int output) { return dup(output) < 0 ? -1 : 0; }

static int map_output(int output) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, output, 0);
    return page == MAP_FAILED ? -1 : 0;
}

static int probe(int output) {
    // By the one call that knows a file by its descriptor or by its name.
    struct stat status;
    return (int)syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &status, AT_EMPTY_PATH);
}

static int probe_more(int output) {
    struct stat status;
    char target[64];
    if (syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &status, 0) == 0) return 0;
    if (faccessat(AT_FDCWD, "/etc/passwd", R_OK, 0) == 0) return 0;
    return readlink("/proc/self/exe", target, sizeof target) < 0 ? -1 : 0;
}

static int crash(int output) {
    *(volatile int *)8 = 1;
    return 0;
}

static int die(int output) {
    // What the kernel does to a process when memory runs out.
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL);
}

static int trap(int output) { __builtin_trap(); }

static int hang(int output) {
    static int never;
    for (;;) syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static int leave(int output) { _exit(0); }

static int babble(int output) {
    char words[] = "not a word of the protocol";
    struct iovec part = {.iov_base = words, .iov_len = sizeof words};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (sendmsg(3, &message, 0) < 0) return -1;
    hang(output);
    return 0;
}

static int spin(int output) {
    for (volatile unsigned long i = 0;; i++) {}
}

static const struct {
    const char *name, *words;
    int (*attempt)(int output);
} attempts[] = {
    {"read", "read /etc/passwd", read_secret},
    {"list", "list the root folder", list_folder},
    {"write", "write a file outside", write_outside},
    {"mkdir", "make a folder", make_folder},
    {"connect", "connect to a port", connect_out},
    {"exec", "run a program", run_program},
    {"fork", "start processes without end", fork_bomb},
    {"signal", "signal its parent", signal_parent},
    {"owner", "choose who gets the signals of its socket", own_signals},
    {"ptrace", "trace its parent", trace_parent},
    {"limits", "raise its limits", raise_limits},
    {"code", "map memory that can be executed", map_code},
    {"allocate", "allocate without end", allocate},
    {"fill", "fill its output without end", fill_output},
    {"keep", "keep its output open", keep},
    {"map", "keep its output mapped", map_output},
    {"spin", "compute without end", spin},
    {"probe", "ask for a file outside", probe},
    {"probe-more", "ask for a file outside in other ways", probe_more},
    {"crash", "write to no memory", crash},
    {"die", "be killed", die},
    {"trap", "trap", trap},
    {"hang", "never answer", hang},
    {"leave", "leave", leave},
    {"babble", "talk nonsense", babble},
};

int mischief_run_without_landlock(const char *path, char *const *arguments) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return -1;
    return execv(path, arguments);
}

int mischief_try(const char *name, int output) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        if (strcmp(attempts[i].name, name) == 0) return attempts[i].attempt(output) == 0 ? 0 : errno;
    }
    return ENOENT;
}

const char *mischief_words(const char *name) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        if (strcmp(attempts[i].name, name) == 0) return attempts[i].words;
    }
    return NULL;
}
