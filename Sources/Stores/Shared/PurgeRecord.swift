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
/// A last line without its line feed is passed over: a crash cut it short, before its purge was confirmed. Any other line
/// that cannot be read may have been any purge, so everything counts as purged then.
///
/// **Isolation:** a `Mutex` around the marks, held for as long as they are looked at; another around those that are to be
/// written; a third one around the file, held while that is written. `add` and `settle` block on the disk, `note` and asking do
/// not. Marks may stand in the file in another order than they
/// were added in: the later of two that mean the same counts, wherever it stands.
final class PurgeRecord: Sendable {
    /// Marks: some 1 MB of the file, and of memory.
    static let limit = 10_000
    /// Marks that wait for the disk; of more, all are written anew.
    private static let mostUnwritten = 1_000
    /// Bytes of a file that is read: far more than any that is written.
    private static let largest = 64 << 20

    private struct File {
        /// Bytes of the file, as it was left; nil if it has to be written anew.
        var size: Int?
        /// The file whose marks count; nil if there was none.
        var identity: FileIdentity?
        var lines = 0
        /// True if a mark could not be written: all are then written anew.
        var isBehind = false
    }

    /// Marks that count, and that the file has not got yet.
    private struct UnwrittenMarks {
        var marks: [PurgeMarks.Mark] = []
        /// True if there were more: all are then written anew.
        var areMany = false
        /// True if another folder has taken the place of the file's since that was written.
        var areMoved = false
    }

    private let path: String
    /// The wall clock.
    private let now: @Sendable () -> Timestamp
    /// fdatasync(2), or a test's replacement.
    private let flush: @Sendable (Int32) -> Int32
    private let marks = Mutex(PurgeMarks(limit: PurgeRecord.limit))
    private let unwritten = Mutex(UnwrittenMarks())
    private let file = Mutex(File())
    /// True if a line could not be read.
    let isDamaged: Bool

    /// Reads the file; one that is missing has no marks. One that is damaged is written anew.
    /// A mark of later than now is one of now: a clock was wrong when it was set. Only if the file is of later than now
    /// too, the clock may be wrong that says so, and all that was purged must not come back. Where both times are of a clock that
    /// has not been set, marks stay as they are.
    /// The mark of everything, where a line cannot be read, is of that time as well.
    /// - Throws: if it is there and cannot be read, so that nothing purged comes back.
    init(
        path: String, now: @escaping @Sendable () -> Timestamp,
        flush: @escaping @Sendable (Int32) -> Int32 = fdatasync
    ) throws(SystemError) {
        self.path = path
        self.now = now
        self.flush = flush
        let identity = FileIdentity(at: path)
        let found = try Self.read(path, now: now())
        isDamaged = found.isDamaged
        file.withLock { $0.identity = identity }
        marks.withLock { $0.add(found) }
        // If the disk does not take it, the next start finds the damage again.
        if isDamaged {
            _ = file.withLock { file in Result { () throws(SystemError) in try rewrite(&file) } }
        }
    }

    private static func read(_ path: String, now: Timestamp) throws(SystemError) -> FoundMarks {
        let (lines, written) = try Self.lines(of: path)
        let marks = lines.compactMap(PurgeMarks.Mark.init(line:))
        return FoundMarks(
            marks: marks, latest: max(now, written), isDamaged: marks.count < lines.count)
    }

    /// The whole lines of the file, and when it was written.
    private static func lines(of path: String) throws(SystemError) -> (lines: [Substring], written: Timestamp)
    {
        guard let file = try LastingFile.open(path, O_RDONLY) else {
            return ([], Timestamp(milliseconds: .min))
        }
        let size = try LastingFile.size(of: file)
        guard size <= largest else { throw SystemError("read", code: EFBIG) }
        guard let bytes = FileIO.bytes(of: file.raw, at: 0, count: size) else { throw .last("pread") }
        let whole = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        let written = Int64(FileState(file.raw)?.modified ?? 0) / 1_000_000
        return (
            String(decoding: whole, as: UTF8.self).split(separator: "\n"), Timestamp(milliseconds: written)
        )
    }

    /// Adds the marks, and returns once they are on disk. They count at once, even if that fails.
    func add(_ new: [PurgeMarks.Mark]) throws(SystemError) {
        guard !new.isEmpty else { return }
        note(new)
        try settle()
    }

    /// Adds the marks in memory; `settle` writes them.
    func note(_ new: [PurgeMarks.Mark]) {
        marks.withLock { marks in
            for mark in new { marks.add(mark) }
        }
        unwritten.withLock { unwritten in
            unwritten.marks += new
            guard unwritten.marks.count > Self.mostUnwritten else { return }
            (unwritten.marks, unwritten.areMany) = ([], true)
        }
    }

    /// Notes that another folder has taken the place of the file's, as a new one or one that was away: `settle` adds the marks of
    /// its file, and writes all into it.
    func noteMoved() { unwritten.withLock { $0.areMoved = true } }

    /// Writes the new marks, and those that could not be written before. Another file that has come into the place of this one,
    /// because its folder has, keeps its marks.
    /// - Throws: if it still cannot.
    func settle() throws(SystemError) {
        try file.withLock { file in
            Result { () throws(SystemError) -> Void in
                let new = unwritten.withLock { exchange(&$0, with: UnwrittenMarks()) }
                if new.areMany { file.isBehind = true }
                if new.areMoved { moveIn(&file) }
                guard file.isBehind || !new.marks.isEmpty else { return }
                // Its folder's replacement may not be noticed yet.
                if let there = FileIdentity(at: path), there != file.identity { moveIn(&file) }
                try write(new.marks, &file)
            }
        }.get()
    }

    /// Another file that cannot be read may have had any mark, as a line that cannot. Those of the former one count already.
    private func moveIn(_ state: inout File) {
        let (now, there) = (self.now(), FileIdentity(at: path))
        let isOther = there.map { $0 != state.identity } ?? false
        state.identity = there
        var found =
            (try? Self.read(path, now: now)) ?? FoundMarks(marks: [], latest: now, isDamaged: isOther)
        let areThere = marks.withLock { marks in
            let (known, floor) = (Set(marks.all), marks.floor)
            // A file has some that have fallen off since: what these mean counts as purged already.
            found.marks.removeAll { $0.time <= floor || known.contains($0) }
            marks.add(found)
            return !marks.all.isEmpty || marks.floor.milliseconds != .min
        }
        state.size = nil
        if areThere { state.isBehind = true }
    }

    private func write(_ new: [PurgeMarks.Mark], _ state: inout File) throws(SystemError) {
        if state.isBehind { return try rewrite(&state) }
        state.isBehind = true
        try append(new, &state)
        state.isBehind = false
    }

    private func append(_ new: [PurgeMarks.Mark], _ state: inout File) throws(SystemError) {
        let text = Self.text(new)
        // All marks have a third of the bytes that are read.
        if let size = state.size, state.lines + new.count <= 2 * Self.limit,
            size + text.count <= Self.largest / 2, let file = try LastingFile.open(path, O_WRONLY)
        {
            // One that has been cut is written anew.
            if try LastingFile.size(of: file) == size, FileIdentity(of: file) == state.identity {
                state.size = nil
                try FileIO.write(text, to: file.raw, at: size)
                guard flush(file.raw) == 0 else { throw .last("fdatasync") }
                (state.size, state.lines) = (size + text.count, state.lines + new.count)
                return
            }
        }
        try rewrite(&state)
    }

    /// Writes all marks, those that others are adding just now as well.
    private func rewrite(_ state: inout File) throws(SystemError) {
        state.size = nil
        let (floor, all) = marks.withLock { ($0.floor, $0.all) }
        let before = PurgeMarks.Mark(subject: .originals(.all), time: floor)
        let lines = (floor.milliseconds == .min ? [] : [before]) + all
        let text = Self.text(lines)
        try LastingFile.replace(path, with: text, over: &state.identity, flush: flush)
        (state.size, state.lines, state.isBehind) = (text.count, lines.count, false)
    }

    private static func text(_ marks: [PurgeMarks.Mark]) -> [UInt8] {
        Array(marks.map { $0.line + "\n" }.joined().utf8)
    }

    // MARK: Asking

    func verdict(on key: OriginalKey, tags: [String], from time: Timestamp) -> PurgeMarks.Verdict {
        marks.withLock { $0.verdict(on: key, tags: tags, from: time) }
    }

    func hasPurged(renditionsOf digest: OriginalDigest, from time: Timestamp) -> Bool {
        marks.withLock { $0.hasPurged(renditionsOf: digest, from: time) }
    }
}

/// The marks that a file has.
private struct FoundMarks {
    var marks: [PurgeMarks.Mark]
    /// No mark may be of later.
    let latest: Timestamp
    /// True if a line could not be read.
    let isDamaged: Bool
}

extension PurgeMarks {
    fileprivate mutating func add(_ found: FoundMarks) {
        for var mark in found.marks {
            if found.latest.isOfSetClock { mark.time = min(mark.time, found.latest) }
            add(mark)
        }
        if found.isDamaged { add(Mark(subject: .originals(.all), time: found.latest)) }
    }
}
