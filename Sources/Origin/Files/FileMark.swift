// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel

/// A file's strong validator (RFC 9110 §8.8.1): inode, size, mtime and ctime. A write, an exchange by rename(2) and a
/// time that was set back each change one of them.
struct FileMark {
    /// The entity tag.
    let tag: String
    /// False for a file that has changed just now: a second change may have the same time. Then the next question reads
    /// the file once more, whatever validator it has.
    let isSettled: Bool

    /// Seconds within which two writes may have one time: FAT counts in steps of two.
    private static let step: Int64 = 2

    init(_ state: FileState, at now: Timestamp) {
        let numbers = [Int(truncatingIfNeeded: state.number), state.size, state.modified, state.changed]
        let text = numbers.map { String(UInt(bitPattern: $0), radix: 16) }.joined(separator: "-")
        isSettled = !Self.isRecent(state.modified, now) && !Self.isRecent(state.changed, now)
        tag = EntityTag(opaque: isSettled ? text : "\(text)-new").description
    }

    private static func isRecent(_ nanoseconds: Int, _ now: Timestamp) -> Bool {
        let seconds = Int64(nanoseconds / 1_000_000_000)
        let age = now.seconds.subtractingReportingOverflow(seconds)
        return !age.overflow && (-step...step).contains(age.partialValue)
    }
}
