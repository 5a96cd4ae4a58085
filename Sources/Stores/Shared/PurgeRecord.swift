// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// The marks of purges, and their file, which has a line for each mark. A line is appended and flushed before the purge is
/// confirmed.
///
/// A last line without a line feed is ignored, because a crash cut it short before its purge was confirmed. Any other unreadable
/// line may have been any purge, so everything counts as purged then.
///
/// **Isolation:** one `Mutex` guards the marks, held while they are examined; another guards those that must still be written; a
/// third guards the file, held while it is written. `add` and `settle` block on the disk; `note` and the questions do not. Marks
/// may be in the file in another order than they were added; of two marks of the same name the later time counts, wherever it is.
final class PurgeRecord: Sendable {
    /// The most marks: about 1 MB of the file, and of memory.
    static let limit = 10_000
    /// The most marks that wait for the disk; if there are more, the whole file is rewritten.
    private static let mostUnwritten = 1_000
    /// The largest file that is read, in bytes; far more than Pictor writes.
    private static let largest = 64 << 20

    private struct File {
        /// The file's size in bytes after the last write; nil if the file must be rewritten.
        var size: Int?
        /// The identity of the file whose marks were read; nil if there is none.
        var identity: FileIdentity?
        var lines = 0
        /// True if a mark could not be written, so that the file must be rewritten.
        var isBehind = false
    }

    /// Marks that count already but are not in the file yet.
    private struct UnwrittenMarks {
        var marks: [PurgeMarks.Mark] = []
        /// True if there were too many, so that the file must be rewritten.
        var areMany = false
        /// True if another folder has taken the place of the file's since the last write.
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

    /// Reads the file. A missing file has no marks; a damaged one is rewritten. A mark later than now is moved to now, because a
    /// clock was wrong when it was made. But if the file itself is later than now, the present clock may be wrong, so marks may
    /// be as late as the file, because nothing purged may come back. If both times come from a clock that was not set, marks are
    /// unchanged. If a line cannot be read, the mark of everything gets the latest permitted time.
    /// - Throws: if the file exists but cannot be read, so that nothing purged comes back.
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
        // If the disk does not take this, the next start finds the damage again.
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

    /// The complete lines of the file, and when it was written.
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

    /// Adds the marks in memory only; `settle` writes them.
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

    /// Notes that another folder, a new one or one that was away, has taken the place of the file's. `settle` then adds the marks
    /// of that folder's file, and writes all marks into it.
    func noteMoved() { unwritten.withLock { $0.areMoved = true } }

    /// Writes the new marks, and those that could not be written before. If another file has the place of this one, because its
    /// folder was exchanged, its marks are kept, too.
    /// - Throws: if the marks still cannot be written.
    func settle() throws(SystemError) {
        try file.withLock { file in
            Result { () throws(SystemError) -> Void in
                let new = unwritten.withLock { exchange(&$0, with: UnwrittenMarks()) }
                if new.areMany { file.isBehind = true }
                if new.areMoved { moveIn(&file) }
                guard file.isBehind || !new.marks.isEmpty else { return }
                // The exchange of the folder may not have been noticed yet.
                if let there = FileIdentity(at: path), there != file.identity { moveIn(&file) }
                try write(new.marks, &file)
            }
        }.get()
    }

    /// Called when another file has the place of this one: adds its marks. If it cannot be read, it may have had any mark, as an
    /// unreadable line may. The marks of the former file count already.
    private func moveIn(_ state: inout File) {
        let (now, there) = (self.now(), FileIdentity(at: path))
        let isOther = there.map { $0 != state.identity } ?? false
        state.identity = there
        var found =
            (try? Self.read(path, now: now)) ?? FoundMarks(marks: [], latest: now, isDamaged: isOther)
        let areThere = marks.withLock { marks in
            let (known, floor) = (Set(marks.all), marks.floor)
            // A file may have marks that were dropped from memory since: what they mean counts as purged already.
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
        // All marks have a third of the bytes that are read, so half of these leaves room to append.
        if let size = state.size, state.lines + new.count <= 2 * Self.limit,
            size + text.count <= Self.largest / 2, let file = try LastingFile.open(path, O_WRONLY)
        {
            // A file that was cut is rewritten.
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

    /// Writes all marks, including those that other threads are adding.
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

/// The marks found in a file.
private struct FoundMarks {
    var marks: [PurgeMarks.Mark]
    /// The latest time that a mark may have.
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
