// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Kernel

/// A file with a line for each finished target, so that a later run can continue.
package struct WarmRecord: Sendable {
    /// Targets of this run that earlier runs have finished.
    package let done: Set<String>
    private let file: OwnedDescriptor

    /// Makes the file if it is missing.
    /// - Parameter targets: those of this run. Nothing else of the file is kept in memory, because other runs may have written it.
    /// - Throws: if it cannot be read or opened, or is no regular file.
    package init(_ path: String, of targets: [String]) throws(SystemError) {
        let raw = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard raw >= 0 else { throw .last("open \(path)") }
        file = OwnedDescriptor(adopting: raw)
        var lines = RecordedLines(of: Set(targets))
        try file.readThrough(LastingFile.size(of: file)) { (piece, _) throws(SystemError) in
            lines.take(piece)
        }
        done = lines.found
        if lines.isCutOff { try append("") }
    }

    /// Appends a target. It is written at once, so that a run may be ended at any time.
    package func append(_ target: String) throws(SystemError) {
        let line = Array("\(target)\n".utf8)
        guard write(file.raw, line, line.count) == line.count else { throw .last("write") }
    }
}

/// Finds targets among the lines of a record that is read piece by piece.
private struct RecordedLines {
    private(set) var found: Set<String> = []
    private let targets: Set<String>
    /// Bytes of the longest target.
    private let longest: Int
    /// The beginning of the present line: one byte more than the longest target has, at most.
    private var line: [UInt8] = []

    init(of targets: Set<String>) {
        self.targets = targets
        longest = targets.lazy.map(\.utf8.count).max() ?? 0
    }

    /// True behind a line without its end, which was cut off when a run ended.
    var isCutOff: Bool { !line.isEmpty }

    mutating func take(_ piece: UnsafeRawBufferPointer) {
        var rest = piece[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest[..<end])
            finishLine()
            rest = rest[(end + 1)...]
        }
        add(rest)
    }

    private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        line += bytes.prefix(longest + 1 - line.count)
    }

    private mutating func finishLine() {
        let text = String(decoding: line, as: UTF8.self)
        if targets.contains(text) { found.insert(text) }
        line.removeAll(keepingCapacity: true)
    }
}
