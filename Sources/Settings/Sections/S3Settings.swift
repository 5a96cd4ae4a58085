// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// A store that speaks S3.
    package struct S3: Sendable, Equatable {
        /// The names that clients may use.
        package var buckets: [String] = []
        /// How the store is reached.
        package var access = StoreAccess(group: "s3")
    }
}

extension Setting {
    static let s3: [Setting] =
        [
            Setting(
                "s3.buckets", \.s3.buckets, .live,
                "Buckets that originals may be fetched from: with shop-media, s3://shop-media/a/b.jpg is the object a/b.jpg of it. Empty: none.",
                form: "a list of buckets' names, separated by commas"
            ) { $0.allSatisfy(NamedPlaces.isName) }
        ] + storeAccess("s3", \.s3.access, .live, at: "The store, as https://store.example:9000.")
}
