// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Turns off core dumps of the daemon, because they would contain the signing keys, the admin token and clients' requests.
enum CoreDumps {
    /// Turns core dumps off for this process. The limit applies to cores that are written to files. A program that takes cores
    /// through a pipe (core(5)) ignores the limit, but the kernel writes no core of a process that is not dumpable.
    /// PR_SET_DUMPABLE also keeps other processes of the same user from tracing this one and reading its memory; this process can
    /// still read its own /proc entries. Worker processes are dumpable again after execve(2), until their jail turns that off.
    static func turnOff() {
        _ = pictor_limit(Int32(PICTOR_LIMIT_CORE), 0)
        _ = pictor_prctl(PR_SET_DUMPABLE, 0)
    }
}
