// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// The marks of purges, and their file: a line a mark, appended and flushed before the purge is confirmed.
///
/// A line that cannot be read is passed over: it is the last one, cut short by a crash before its purge was confirmed.
///
/// **Isolation:** a `Mutex`, held while the file is written: `add` blocks on the disk.
final class PurgeRecord: Sendable {
    /// Marks: some 1 MB of the file, and of memory.
    static let limit = 10_000

    private struct State {
        var marks = PurgeMarks(limit: PurgeRecord.limit)
        /// Bytes of the file, as it was left; nil if it has to be written anew.
        var size: Int?
        var lines = 0
    }

    private let path: String
    private let state = Mutex(State())

    /// Reads the file; one that is missing has no marks.
    /// - Throws: if it is there and cannot be read, so that nothing purged comes back.
    init(path: String) throws(SystemError) {
        self.path = path
        guard let file = try Self.open(path, O_RDONLY) else { return }
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last("fstat") }
        guard let bytes = FileIO.bytes(of: file.raw, at: 0, count: Int(status.st_size)) else {
            throw .last("pread")
        }
        let marks = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap(
            PurgeMarks.Mark.init(line:))
        state.withLock { state in
            for mark in marks { state.marks.add(mark) }
        }
    }

    /// Adds the marks, and returns once they are on disk. They count even if that fails.
    func add(_ marks: [PurgeMarks.Mark]) throws(SystemError) {
        guard !marks.isEmpty else { return }
        let result = state.withLock { state in
            for mark in marks { state.marks.add(mark) }
            return Result { () throws(SystemError) in try write(marks, &state) }
        }
        try result.get()
    }

    private func write(_ marks: [PurgeMarks.Mark], _ state: inout State) throws(SystemError) {
        if let size = state.size, state.lines + marks.count <= 2 * Self.limit,
            let file = try Self.open(path, O_WRONLY)
        {
            var status = stat()
            // Another's file, or one that has been cut, is written anew.
            if fstat(file.raw, &status) == 0, Int(status.st_size) == size {
                let text = Self.text(marks)
                state.size = nil
                try FileIO.write(text, to: file.raw, at: size)
                guard fdatasync(file.raw) == 0 else { throw .last("fdatasync") }
                (state.size, state.lines) = (size + text.count, state.lines + marks.count)
                return
            }
        }
        try rewrite(&state)
    }

    private func rewrite(_ state: inout State) throws(SystemError) {
        state.size = nil
        let floor = state.marks.floor
        let all = state.marks.marks
        let before = PurgeMarks.Mark(subject: .originals(.all), time: floor)
        let lines = (floor.milliseconds == .min ? [] : [before]) + all
        let text = Self.text(lines)
        let next = path + ".new"
        guard let file = try Self.open(next, O_WRONLY | O_CREAT | O_TRUNC) else {
            throw SystemError("open", code: ENOENT)
        }
        try FileIO.write(text, to: file.raw, at: 0)
        guard fsync(file.raw) == 0 else { throw .last("fsync") }
        guard rename(next, path) == 0 else { throw .last("rename") }
        (state.size, state.lines) = (text.count, lines.count)
    }

    private static func text(_ marks: [PurgeMarks.Mark]) -> [UInt8] {
        Array(marks.map { $0.line + "\n" }.joined().utf8)
    }

    /// Nil if there is no such file.
    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor? {
        let file = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .last("open") }
        return OwnedDescriptor(adopting: file)
    }

    // MARK: Asking

    func verdict(on key: OriginalKey, tags: [String], from time: Timestamp) -> PurgeMarks.Verdict {
        state.withLock { $0.marks.verdict(on: key, tags: tags, from: time) }
    }

    func hasPurged(renditionsOf digest: OriginalDigest, from time: Timestamp) -> Bool {
        state.withLock { $0.marks.hasPurged(renditionsOf: digest, from: time) }
    }
}
