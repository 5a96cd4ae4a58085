// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import Synchronization

/// An original of which ready answers are held. It ends all of them at once, without a search, when the original has other bytes: an
/// original that was evicted leaves fresh answers behind, and may have changed by the time it is fetched for another width.
///
/// The digest is in an object of its own, because an answer must not touch an object with weak references at each hit.
///
/// **Isolation:** immutable.
final class AnsweredOriginal: Sendable {
    let bytes = AnsweredBytes()
}

/// An original that an answer is made of, the picture's or the watermark's, with the digest of the bytes that are in it.
struct AnsweredPart: Sendable {
    let original: AnsweredOriginal
    let digest: OriginalDigest
}

/// The bytes that an answer is made of, of one of its originals.
///
/// **Isolation:** immutable.
struct UsedBytes: Sendable {
    private let allowed: AnsweredBytes
    private let number: Int

    init(of part: AnsweredPart) {
        (allowed, number) = (part.original.bytes, AnsweredBytes.number(of: part.digest))
    }

    /// True if answers may be made of these bytes.
    var areAllowed: Bool { allowed.allow(number) }
}

/// The bytes that an original's ready answers may be made of.
///
/// **Isolation:** an atomic.
final class AnsweredBytes: Sendable {
    private static let ofAny = 0
    private static let ofNone = 2

    private let allowed = Atomic<Int>(AnsweredBytes.ofAny)

    /// The number that stands for a digest, which is odd.
    static func number(of digest: OriginalDigest) -> Int { digest.hashValue | 1 }

    /// True if answers may be made of the bytes with this number.
    func allow(_ number: Int) -> Bool {
        let allowed = allowed.load(ordering: .relaxed)
        return allowed == number || allowed == Self.ofAny
    }

    /// Allows answers of these bytes, which the disk cache holds, in place of those of others. The others may have been allowed last
    /// although they are not held: its folder was opened again, and has former bytes, or two fetches brought different bytes at once.
    func allow(held digest: OriginalDigest) {
        if !allow(Self.number(of: digest)) { restrict(to: digest) }
    }

    /// - Parameter digest: nil to end all answers.
    func restrict(to digest: OriginalDigest?) {
        let number = digest.map { Self.number(of: $0) } ?? Self.ofNone
        allowed.store(number, ordering: .relaxed)
    }
}
