// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Kernel

/// Reads objects of the bucket. Cancelling the task ends the transfer.
package protocol ObjectReading: Sendable {
    /// - Parameter name: the name below the settings' prefix.
    func get(_ name: String) async -> ObjectReply
}

/// Changes objects of the bucket; each call blocks. One thread uses it.
package protocol ObjectWriting: AnyObject {
    /// - Parameter digest: the SHA-256 of the body, which the store checks.
    /// - Throws: the reason in the store's or the network's words.
    func put(_ body: Body, _ digest: Digest, as name: String) throws(ObjectFailure)
    /// Deletes an object; does nothing if it does not exist.
    /// - Throws: as `put`.
    func delete(_ name: String) throws(ObjectFailure)
    /// The bytes of an object of up to a megabyte, unchanged; nil if there is none.
    /// - Throws: as `put`.
    func object(_ name: String) throws(ObjectFailure) -> [UInt8]?
    /// Some names that begin with `prefix`, as many as the store returns at once; empty if there are none.
    /// - Parameter last: the name after which the list begins; nil for the beginning.
    /// - Throws: as `put`.
    func names(below prefix: String, after last: String?) throws(ObjectFailure) -> [String]
}

/// The result of a read.
package enum ObjectReply: Sendable {
    /// An object: a file of this length that nobody else uses, and its SHA-256.
    case found(OwnedDescriptor, length: Int, digest: Digest)
    case absent
    case failed(ObjectFailure)

    /// The failure; nil if the store answered.
    var failure: ObjectFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    var sign: StoreBreaker.Sign {
        switch self {
        case .found, .absent: .answered
        case .failed(let failure): failure.kind.sign
        }
    }
}

/// The reason why the store did not carry out a request.
package struct ObjectFailure: Error, Sendable, Hashable {
    /// The kind of failure, by its cause.
    package enum Kind: Sendable, Hashable {
        /// The store answered with an error, or cannot be reached.
        case error
        /// The store did not answer in time.
        case timeout
        /// Not the store's failure: too much is under way here, or nobody waits any more.
        case own
        /// The store gives an object that is too large for this node: another node, with other limits, has written it.
        case oversized

        /// What such a failure shows about the store.
        var sign: StoreBreaker.Sign {
            switch self {
            case .error, .timeout: .failed
            case .own: .nothing
            case .oversized: .answered
            }
        }
    }

    package var kind: Kind
    /// A description for operators.
    package var words: String

    package init(_ kind: Kind, _ words: String) {
        self.kind = kind
        self.words = words
    }
}
