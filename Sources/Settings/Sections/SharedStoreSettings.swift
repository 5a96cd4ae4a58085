// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The object store that several nodes share.
    package struct SharedStore: Sendable, Equatable {
        /// The bucket; empty for no shared store.
        package var bucket = ""
        /// The prefix of all objects' names; empty for none.
        package var prefix = "pictor"
        /// How to reach the store.
        package var access = StoreAccess(group: "shared-store")
        /// True to share originals.
        package var originals = true
        /// True to share renditions.
        package var renditions = true
        /// True to ask the origin as well if the store is late.
        package var hedge = true
        /// The limit for connecting, and again for the first byte of an object.
        package var firstByteTimeout = Duration.milliseconds(150)
        /// The limit for a whole object.
        package var timeout = Duration.seconds(2)
        /// The most objects that wait to be written.
        package var queue = 256
        /// The most bytes that wait to be written.
        package var queueBytes = ByteCount(64 << 20)
    }
}

extension Setting {
    static let sharedStore: [Setting] =
        sharedStorePlace
        + storeAccess(
            "shared-store", \.sharedStore.access, .atRestart(.sharedStore),
            at: "The store, as https://store.example:9000; it is dialled directly.")
        + sharing

    private static let sharedStorePlace: [Setting] = [
        Setting(
            "shared-store.bucket", \.sharedStore.bucket, .atRestart(.sharedStore),
            "The bucket that all nodes read and write. Empty: no shared store.",
            form: "a bucket's name"
        ) { $0.isEmpty || NamedPlaces.isName($0) },
        Setting(
            "shared-store.prefix", \.sharedStore.prefix, .atRestart(.sharedStore),
            "What the name of each object begins with, before a slash. Another prefix is another, empty store. Empty: no prefix.",
            form: "up to 200 letters, digits, hyphens, underscores and slashes, no slash at its ends"
        ) { isPrefix($0) },
    ]

    private static let sharing: [Setting] = [
        Setting(
            "shared-store.originals", \.sharedStore.originals, .atRestart(.sharedStore),
            "Share originals and their freshness: the store is asked before an origin is."),
        Setting(
            "shared-store.renditions", \.sharedStore.renditions, .atRestart(.sharedStore),
            "Share renditions: the store is asked before a rendition is made."),
        Setting(
            "shared-store.hedge", \.sharedStore.hedge, .atRestart(.sharedStore),
            "Ask the origin as well when the store takes longer than usual to tell of an original, and use what comes first. Of all looks at most a tenth is hedged, and ten at once."
        ),
        .positive(
            "shared-store.first-byte-timeout", \.sharedStore.firstByteTimeout, .atRestart(.sharedStore),
            "How long the connection may take, and then the first byte of an object; after that the object counts as missing. A store nearby needs 5 to 50 ms, and an origin that is asked instead some 100."
        ),
        .positive(
            "shared-store.timeout", \.sharedStore.timeout, .atRestart(.sharedStore),
            "How long the whole of an object may take; after that it counts as missing."),
        .number(
            "shared-store.queue", \.sharedStore.queue, .atRestart(.sharedStore), 1...10_000,
            "Objects that wait to be written; more are dropped. Each may hold a descriptor. At 100 written a second, 256 wait less than three."
        ),
        .size(
            "shared-store.queue-bytes", \.sharedStore.queueBytes, .atRestart(.sharedStore), from: 64 << 10,
            to: 1 << 30,
            "Bytes of the objects that wait to be written; more are dropped, and an object that alone is larger is not shared. They wait on the cache's disk; two at a time are in memory."
        ),
    ]

    private static func isPrefix(_ text: String) -> Bool {
        text.utf8.count <= 200
            && text.utf8.allSatisfy { isRegionByte($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "/") }
            && (text.isEmpty
                || text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty })
    }
}
