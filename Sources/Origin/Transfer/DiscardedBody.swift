// SPDX-License-Identifier: Apache-2.0

/// The body of a redirect or an error, which is not kept. It is read because a connection can be reused only after its response
/// was read to the end. A body that is too long is dropped together with the connection; so is one that takes longer than
/// `Deadlines.drain`, unless answers of its connection are in doubt.
struct DiscardedBody {
    /// The most bytes that are read.
    private static let limit = 64 << 10

    private var count = 0
    /// The beginning of a store's refusal.
    private var text: [UInt8] = []

    /// False to stop reading.
    mutating func append(_ bytes: UnsafeRawBufferPointer, from store: NamedStore?) -> Bool {
        count += bytes.count
        if store != nil { text += bytes.prefix(max(0, StoreError.longest - text.count)) }
        return count <= Self.limit
    }

    /// The words of a store's refusal; empty if they repeat a secret.
    func words(of store: NamedStore?) -> String {
        guard !text.isEmpty, store?.hasSecret(in: String(decoding: text, as: UTF8.self)) != true else {
            return ""
        }
        return StoreError(text).words
    }

    /// True if a store with this status refuses Pictor's key, region, signature or clock, or the lack of a key.
    /// - Parameter lacksKey: true if the request was not signed, because there was no key yet or because it went to another place
    ///   behind a redirect. The refusal's words then do not tell whether it concerns the object, because stores answer
    ///   `AccessDenied` to any unsigned request.
    func isAboutKey(_ status: Int, lacksKey: Bool) -> Bool {
        StoreError.statusesOfKeys.contains(status) && (lacksKey || StoreError(text).isAboutKey)
    }

    /// True if a store with this status refuses a key that has ended.
    func isAboutEndedKey(_ status: Int) -> Bool {
        StoreError(text).isAboutEndedKey(status)
    }
}
