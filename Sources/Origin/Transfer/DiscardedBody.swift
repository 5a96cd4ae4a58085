// SPDX-License-Identifier: Apache-2.0

/// The body of a redirect or an error, which nobody keeps. It is read because a connection can be used again once its response
/// was read to the end; a longer body is dropped together with the connection, and so is one that takes longer than
/// `Deadlines.drain` where no answer of its connection is in doubt.
struct DiscardedBody {
    /// Bytes read.
    private static let limit = 64 << 10

    private var count = 0
    /// The beginning of a store's refusal.
    private var text: [UInt8] = []

    /// False to read no more.
    mutating func append(_ bytes: UnsafeRawBufferPointer, from store: NamedStore?) -> Bool {
        count += bytes.count
        if store != nil { text += bytes.prefix(max(0, StoreError.longest - text.count)) }
        return count <= Self.limit
    }

    /// The words of a store's refusal; none where they repeat a secret.
    func words(of store: NamedStore?) -> String {
        guard !text.isEmpty, store?.isBetrayed(by: String(decoding: text, as: UTF8.self)) != true else {
            return ""
        }
        return StoreError(text).words
    }

    /// True if a store refuses Pictor's key, its region, signature or clock by this status, or that it has shown none.
    /// - Parameter lacksKey: true if the request was not signed because there was no key yet, or because it is none of the store's
    ///   own. Then no word of the refusal tells whether it is of the object: stores say `AccessDenied` to strangers.
    func isAboutKey(_ status: Int, lacksKey: Bool) -> Bool {
        // Amazon answers 301 without a place to go where the bucket is in another region.
        [301, 400, 401, 403].contains(status) && (lacksKey || StoreError(text).isAboutKey)
    }
}
