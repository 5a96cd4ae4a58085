// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel

/// A file's strong validator (RFC 9110 §8.8.1): inode, size, mtime and ctime. A write, a replacement by rename(2) and a time that
/// is set back each change one of these.
struct FileMark {
    /// The entity tag.
    let tag: String
    /// False for a file that has just changed, because a second change may get the same time. The next request then reads the
    /// file again, whatever validator it has.
    let isSettled: Bool

    /// Two writes within so many seconds may get the same time: FAT counts in steps of two seconds.
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
