// SPDX-License-Identifier: Apache-2.0
//
// A signature is the HMAC by a key over everything after it and its slash, in base64url with padding, optionally cut to a number of
// characters:
//
//     /8ammJH8D-7tXy6kU3lTvoXlhu4o=/300x200/my.server.com/some/path/to/image.jpg

internal import Bytes
internal import Hashing

/// The keys of one service's URLs. The first one signs, and each of them verifies.
struct OperationKeys: Sendable {
    private let keys: [[UInt8]]
    private let hash: KeyedHash
    /// Characters of a signature; nil = all.
    private let length: Int?

    init(_ keys: [String], hash: KeyedHash = .sha1, length: Int? = nil) {
        self.keys = keys.map { Array($0.utf8) }
        self.hash = hash
        self.length = length
    }

    var isEmpty: Bool { keys.isEmpty }

    /// The signature by the first key; nil without a key.
    func signature(of path: [UInt8]) -> String? { keys.first.map { signature(of: path, by: $0) } }

    /// True for a right signature. Every key is tried, so that the time taken does not tell which one matched.
    func verify(_ signature: [UInt8], of path: [UInt8]) -> Bool {
        keys.reduce(false) { isRight, key in
            let own = Array(self.signature(of: path, by: key).utf8)
            let isSame = signature.withUnsafeBytes { given in
                own.withUnsafeBytes { given.isSameSecret(as: $0) }
            }
            return isSame || isRight
        }
    }

    private func signature(of path: [UInt8], by key: [UInt8]) -> String {
        let digits = Base64URL.encode(hash.code(of: path, key: key))
        // Cannot trap: 0…3.
        let text = digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        return length.map { String(text.prefix($0)) } ?? text
    }
}
