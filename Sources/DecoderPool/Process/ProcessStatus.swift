// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The kernel's figures for a process: `/proc/<id>/status` (proc(5)).
///
/// The daemon reads the file, so that it need not trust the worker, and the worker needs no further descriptor. The file is
/// opened before the process is told to go on, and stays open. After that the process is no longer dumpable, and its files may
/// be hidden from the daemon (mount option `hidepid`).
///
/// **Isolation:** immutable.
struct ProcessStatus: Sendable {
    /// Nil if /proc forbids it.
    private let file: OwnedDescriptor?

    init(of process: pid_t) { file = OwnedDescriptor(opening: "/proc/\(process)/status", O_RDONLY) }

    /// Passes the whole text to `body`; nil if /proc cannot be read.
    func read<Value>(_ body: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        guard let file else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = pread(file.raw, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Whether the first thread would run if the machine let it: it waits for a processor or a disk, or was stopped. False
    /// if it sleeps or has ended, or if /proc cannot be read.
    var isHeldUp: Bool {
        read { text in
            Self.value(of: "State:", in: text)?.first.map { !Self.atRest.contains($0) }
        } ?? false
    }

    /// The states S, Z and X: sleeping, and ended.
    private static let atRest = Set("SZX".utf8)

    /// The value in a line such as `VmHWM:\t 45120 kB`: the text behind the name and the space.
    static func value(of name: StaticString, in text: UnsafeRawBufferPointer) -> Slice<
        UnsafeRawBufferPointer
    >? {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var lines = text[...]
        while !lines.isEmpty {
            let line = lines.prefix { $0 != UInt8(ascii: "\n") }
            lines = lines[line.endIndex...].dropFirst()
            guard line.starts(with: name) else { continue }
            return line.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        }
        return nil
    }
}

extension OwnedDescriptor {
    /// Nil if the file cannot be opened.
    convenience init?(opening path: String, _ mode: Int32) {
        let file = open(path, mode | O_CLOEXEC)
        guard file >= 0 else { return nil }
        self.init(adopting: file)
    }
}
