// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Kernel

/// Reads objects of the bucket. Cancelling the task ends the transfer.
package protocol ObjectReading: Sendable {
    /// - Parameter name: below the settings' prefix.
    func get(_ name: String) async -> ObjectReply
}

/// Changes objects of the bucket; each call blocks. Used by one thread.
package protocol ObjectWriting: AnyObject {
    /// - Parameter digest: SHA-256 of the body, for the store to check.
    /// - Throws: the store's words, or the network's.
    func put(_ body: Body, _ digest: Digest, as name: String) throws(ObjectFailure)
    /// Does nothing if there is no such object.
    /// - Throws: as `put`.
    func delete(_ name: String) throws(ObjectFailure)
    /// The bytes of an object of up to a megabyte, as they are; nil if there is none.
    /// - Throws: as `put`.
    func object(_ name: String) throws(ObjectFailure) -> [UInt8]?
    /// Some names that begin so, as many as the store gives at once; empty if there are none.
    /// - Parameter last: the name behind which they begin; nil for the first ones.
    /// - Throws: as `put`.
    func names(below prefix: String, after last: String?) throws(ObjectFailure) -> [String]
}

/// The result of a read.
package enum ObjectReply: Sendable {
    /// An object: a file of so many bytes that belongs to nobody else, and their SHA-256.
    case found(OwnedDescriptor, length: Int, digest: Digest)
    case absent
    case failed(ObjectFailure)

    /// Nil for an answer.
    var failure: ObjectFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    var sign: StoreBreaker.Sign {
        switch self {
        case .found, .absent: .answered
        case .failed(let failure): failure.kind == .own ? .nothing : .failed
        }
    }
}

/// The reason why the store did not carry out a request.
package struct ObjectFailure: Error, Sendable, Hashable {
    /// The kind of failure, by whose fault it is.
    package enum Kind: Sendable, Hashable {
        /// The store's, which answered in another way, or cannot be reached.
        case error
        /// The store did not answer in time.
        case timeout
        /// None of the store's: too much is under way here, or nobody waits any more.
        case own
    }

    package var kind: Kind
    /// For operators.
    package var words: String

    /// Takes the words for operators.
    package init(_ kind: Kind, _ words: String) {
        self.kind = kind
        self.words = words
    }
}
