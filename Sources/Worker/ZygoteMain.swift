// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DecoderProtocol
internal import Glibc
internal import Jail

/// The life of a zygote: it forks a worker for each message, until the daemon closes the socket.
///
/// It has the daemon's rights, like every worker before its jail. It receives only the daemon's messages, and no bytes
/// from pictures or clients.
package enum ZygoteMain {
    /// Makes the kernel kill the process when the daemon's thread that started it ends. A fork has to set this again
    /// (prctl(2)).
    static func endWithParent(_ parent: Int32) {
        _ = pictor_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        // The daemon may have died before the signal was set.
        guard getppid() == parent else { exit(0) }
    }

    /// Returns in each worker once the daemon knows it, with its socket at `Wire.descriptor`, its standard error, and no
    /// other descriptor.
    /// - Returns: the worker's work.
    package static func run() -> WorkerKind {
        name("pictor-zygote")
        // From now on the zygote only waits, and its workers map the pages that they use.
        pictor_unmap_used_code()
        let (kind, ends) = awaitFork()
        switch kind {
        case .decoder: name("pictor-decoder")
        // A name has at most 15 bytes (prctl(2), PR_SET_NAME).
        case .inspector: name("pictor-inspect")
        }
        guard dup2(ends.socket, Wire.descriptor) >= 0, dup2(ends.errors, STDERR_FILENO) >= 0 else {
            exit(EX_OSERR)
        }
        _ = pictor_close_from(UInt32(Wire.descriptor) + 1)
        guard let bytes = message(), WireStart(bytes) != nil else { exit(0) }
        return kind
    }

    /// Sets the name in top(1) and `ps -e`, because a zygote has the same arguments as its workers.
    private static func name(_ name: String) {
        _ = name.withCString { pictor_prctl(PR_SET_NAME, UInt(bitPattern: $0)) }
    }

    /// Returns in the worker only. The descriptors are raw, because an owner would close them after others have taken
    /// their numbers.
    private static func awaitFork() -> (kind: WorkerKind, ends: (socket: Int32, errors: Int32)) {
        while true {
            var descriptors: [Int32] = [-1, -1]
            guard let bytes = message(&descriptors), let order = WireForkOrder(bytes),
                !descriptors.contains(-1)
            else { exit(0) }
            let (worker, error) = fork()
            if worker != 0 {
                let answer = WireForkReply(process: max(worker, 0), error: error).encoded
                let sent = pictor_send_descriptors(Wire.descriptor, answer, answer.count, [], 0)
                guard sent == answer.count else { exit(0) }
            }
            if worker == 0 || worker == getpid() {
                return (order.kind, (descriptors[0], descriptors[1]))
            }
            for descriptor in descriptors { close(descriptor) }
        }
    }

    /// 0 in the worker; this process's own id if it cannot fork, and has to be the worker itself; −1 and the reason if
    /// the kernel refuses another process.
    private static func fork() -> (process: pid_t, error: Int32) {
        // A fork contains only one thread, and keeps locks that others held. It does not copy shared memory, so one
        // worker would write into another's.
        guard Jail.hasOneThread, !writesSharedMemory else { return (getpid(), 0) }
        let worker = pictor_fork_sibling()
        guard worker < 0 else { return (worker, 0) }
        let error = errno
        // A shortage passes. Other refusals stay, for example that of a filter that does not know the flags.
        return error == EAGAIN || error == ENOMEM ? (worker, error) : (getpid(), 0)
    }

    /// Whether there is a mapping with the permissions `w` and `s` (proc(5), maps); true also if that cannot be
    /// determined.
    private static var writesSharedMemory: Bool {
        guard let maps = fopen("/proc/self/maps", "re") else { return true }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4_352)
        var isEmpty = true
        while fgets(&line, Int32(line.count), maps) != nil {
            isEmpty = false
            // 7f15346a3000-7f15346b3000 rw-s 00000000 00:01 1038 /memfd:orcexec (deleted)
            let permissions = line.drop { $0 != CChar(UInt8(ascii: " ")) }.dropFirst().prefix(4)
            guard let sharing = permissions.last, permissions.count == 4 else { return true }
            let isWritable = permissions.dropFirst().first == CChar(UInt8(ascii: "w"))
            if isWritable, sharing == CChar(UInt8(ascii: "s")) { return true }
        }
        return isEmpty
    }

    /// The next message with as many descriptors as there is room for; nil at the end, and for a message that
    /// does not come from the daemon.
    private static func message(_ descriptors: inout [Int32]) -> [UInt8]? {
        var arrived = 0
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pictor_receive_descriptors(
            Wire.descriptor, &bytes, bytes.count, &descriptors, descriptors.count, &arrived)
        guard (1...bytes.count).contains(count), arrived == descriptors.count else { return nil }
        return Array(bytes.prefix(count))
    }

    private static func message() -> [UInt8]? {
        var none: [Int32] = []
        return message(&none)
    }
}
