// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension Settings {
    /// A store that speaks S3.
    package struct S3: Sendable, Equatable {
        /// The names that clients may use.
        package var buckets: [String] = []
        /// A URL; empty = Amazon's of the region.
        package var endpoint = ""
        /// The region that requests are signed for.
        package var region = "us-east-1"
        /// Where a bucket's name stands.
        package var style = StoreStyle.path
        /// The key's name; empty = from the environment.
        package var accessKey = ""
        /// The key's secret.
        package var secretKey = ServiceSecret.none
        /// The session token of temporary keys.
        package var sessionToken = ServiceSecret.none
        /// True to ask the machine's metadata service for keys.
        package var keysFromMachine = false
    }
}

extension Setting {
    static let s3: [Setting] = [
        Setting(
            "s3.buckets", \.s3.buckets,
            "Buckets that originals may be fetched from: with shop-media, s3://shop-media/a/b.jpg is the object a/b.jpg of it. Empty: none.",
            form: "a list of buckets' names, separated by commas"
        ) { $0.allSatisfy(NamedPlaces.isName) },
        Setting(
            "s3.endpoint", \.s3.endpoint,
            "The store, as https://store.example:9000. It may lie inside. Empty: that of Amazon in s3.region."
        ),
        Setting(
            "s3.region", \.s3.region, "The region that requests are signed for.",
            form: "letters, digits and hyphens"
        ) { !$0.isEmpty && $0.utf8.allSatisfy(Self.isRegionByte) },
        Setting(
            "s3.style", \.s3.style,
            "Where a bucket's name stands: in the path, as https://store.example/bucket/key, or in the host, as https://bucket.store.example/key."
        ),
        Setting(
            "s3.access-key", \.s3.accessKey,
            "The name of the key that requests are signed with. Empty: $AWS_ACCESS_KEY_ID, with $AWS_SECRET_ACCESS_KEY and $AWS_SESSION_TOKEN; without these, a key of the platform, if there is one (s3.keys-from-machine tells of those); else requests are not signed.",
            form: ServiceSecret.settingForm, isQuoted: false
        ) { ServiceSecret(settingText: $0) != nil },
        Setting("s3.secret-key", \.s3.secretKey, "The secret of s3.access-key. No flag."),
        Setting(
            "s3.session-token", \.s3.sessionToken, "The token of temporary keys. No flag."),
        Setting(
            "s3.keys-from-machine", \.s3.keysFromMachine,
            "Ask this machine's metadata service (IMDSv2) for keys where settings and environment have none. An agent or a role that the environment names (AWS_CONTAINER_CREDENTIALS_…, AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN) is asked without this."
        ),
    ]

    static func isRegionByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
    }
}
