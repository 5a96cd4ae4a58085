// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The child processes of a thread, including ended ones that were not waited for (proc(5),
/// /proc/pid/task/tid/children).
struct ChildProcesses {
    private let path: String

    /// Selects the calling thread.
    init() {
        var thread = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &thread, thread.count)
        let name = thread.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        path = "/proc/\(String(decoding: name, as: UTF8.self))/children"
    }

    /// Empty if the kernel does not tell (CONFIG_PROC_CHILDREN). A child that starts or ends meanwhile may be
    /// missing.
    var now: Set<pid_t> {
        guard let file = OwnedDescriptor(opening: path, O_RDONLY) else { return [] }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(file.raw, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            text += piece.prefix(count)
        }
        return Set(
            text.split(separator: UInt8(ascii: " ")).compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
        )
    }
}
