// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension Settings {
    /// How to reach a store that speaks S3, for originals or as the shared store.
    package struct StoreAccess: Sendable, Equatable {
        /// The group of the settings, such as `s3`.
        package let group: String
        /// The endpoint's URL; empty for Amazon's endpoint in the region.
        package var endpoint = ""
        /// The region for which requests are signed.
        package var region = "us-east-1"
        /// Where a bucket's name is in URLs.
        package var style = StoreStyle.path
        /// The name of the access key; empty to take the key from the environment.
        package var accessKey = ""
        /// The secret of the access key.
        package var secretKey = ServiceSecret.none
        /// The session token of temporary keys.
        package var sessionToken = ServiceSecret.none
        /// True to ask the machine's metadata service for keys.
        package var keysFromMachine = false

        init(group: String) { self.group = group }

        /// True if the settings name a store or a key for one.
        var isSetUp: Bool { !endpoint.isEmpty || !accessKey.isEmpty || secretKey.isSet }
    }
}

extension Setting {
    /// - Parameter place: the beginning of the endpoint's meaning, ending with a full stop.
    static func storeAccess(
        _ group: String, _ own: Path<Settings, Settings.StoreAccess>, _ life: SettingLife, at place: String
    ) -> [Setting] {
        [
            Setting(
                "\(group).endpoint", own, \.endpoint, life,
                "\(place) Its address may be private. Empty: that of Amazon in \(group).region."),
            Setting(
                "\(group).region", own, \.region, life, "The region that requests are signed for.",
                form: "letters, digits and hyphens"
            ) { !$0.isEmpty && $0.utf8.allSatisfy(isRegionByte) },
            Setting(
                "\(group).style", own, \.style, life,
                "Where a bucket's name stands: in the path, as https://store.example/bucket/key, or in the host, as https://bucket.store.example/key."
            ),
            Setting(
                "\(group).access-key", own, \.accessKey, life,
                "The id of the key that signs requests (AWS: access key ID). Empty: $AWS_ACCESS_KEY_ID, with $AWS_SECRET_ACCESS_KEY and $AWS_SESSION_TOKEN; without these, a key of the platform, if there is one (see \(group).keys-from-machine); else requests are not signed.",
                form: ServiceSecret.settingForm, isQuoted: false
            ) { ServiceSecret(settingText: $0) != nil },
            Setting(
                "\(group).secret-key", own, \.secretKey, life, "The secret of \(group).access-key. No flag."),
            Setting(
                "\(group).session-token", own, \.sessionToken, life, "The token of temporary keys. No flag."),
            Setting(
                "\(group).keys-from-machine", own, \.keysFromMachine, life,
                "Ask this machine's metadata service (IMDSv2) for keys where settings and environment have none. An agent or a role that the environment names (AWS_CONTAINER_CREDENTIALS_…, AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN) is asked without this."
            ),
        ]
    }

    static func isRegionByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
    }
}
