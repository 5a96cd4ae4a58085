// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// A store that speaks S3.
    package struct S3: Sendable, Equatable {
        /// The buckets that clients may name.
        package var buckets: [String] = []
        /// How to reach the store.
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
