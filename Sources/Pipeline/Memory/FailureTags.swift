// SPDX-License-Identifier: Apache-2.0

/// The purge tags of an answer for which a failure is remembered.
enum FailureTags: Sendable, Hashable {
    case kept([String])
    /// The answer has more tags than are kept, so every tag may be one of them.
    case unknown

    /// The most bytes of an answer's tags, with `overhead` for each: 15 short ones, or fewer long ones.
    static let limit = 1024
    /// Bytes that a tag takes beside its UTF-8: its place in the array, and the head of its text and what rounds it up.
    private static let overhead = 64

    /// The tags if they are few and short enough to keep.
    init(_ tags: [String]) {
        let bytes = tags.reduce(0) { $0 + $1.utf8.count + Self.overhead }
        self = bytes <= Self.limit ? .kept(tags) : .unknown
    }
}
