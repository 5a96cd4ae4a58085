// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The kernel's account of a process: `/proc/<id>/status` (proc(5)).
///
/// Asked from outside, so that a worker need not be believed and has no descriptor more. The file is opened before the process
/// is told to go on and stays open: it stops being dumpable then, and its files may be hidden from us from then on (the mount
/// option `hidepid`).
///
/// **Isolation:** immutable.
struct ProcessStatus: Sendable {
    /// Nil where /proc does not let us.
    private let file: OwnedDescriptor?

    init(of process: pid_t) { file = OwnedDescriptor(opening: "/proc/\(process)/status", O_RDONLY) }

    /// The whole text; nil where /proc does not tell.
    func read<Value>(_ body: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        guard let file else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = pread(file.raw, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Whether the first thread would go on if the machine let it: it waits for a processor or for a disk, or somebody has
    /// stopped it. False for one that sleeps or has ended, and where /proc does not tell.
    var isHeldUp: Bool {
        read { text in
            Self.value(of: "State:", in: text)?.first.map { !Self.atRest.contains($0) }
        } ?? false
    }

    /// S, Z and X: sleeping, and ended.
    private static let atRest = Set("SZX".utf8)

    /// The value in a line such as `VmHWM:\t   45120 kB`: what follows the name and the space behind it.
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
