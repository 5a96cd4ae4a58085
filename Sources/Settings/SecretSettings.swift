// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// The admin token; `none` if there is none.
    /// - Throws: if it is set twice, or its file is unreadable or malformed.
    package var adminSecret: Secret {
        get throws(UnusableSetting) {
            try Self.secret(admin.token, "admin.token", file: admin.tokenFile, credential: "admin-token")
        }
    }

    /// The keys of signed URLs; `none` if there are none.
    /// - Throws: if they are set twice, or their file is unreadable or malformed.
    package var signatureSecrets: Secrets {
        get throws(UnusableSetting) {
            try Self.secret(
                signatures.keys, "signatures.keys", file: signatures.keysFile, credential: "signature-keys")
        }
    }

    /// The keys and salts of imgproxy's URLs; `none` if there are none.
    /// - Throws: if they are set twice, or their file is unreadable or malformed.
    package var imgproxySecrets: HexPairs {
        get throws(UnusableSetting) {
            try Self.secret(
                imgproxy.keys, "imgproxy.keys", file: imgproxy.keysFile, credential: "imgproxy-keys")
        }
    }

    /// The key of imgproxy's encrypted sources; `none` if there is none.
    /// - Throws: if it is set twice, or its file is unreadable or malformed.
    package var imgproxyEncryptionKey: HexKey {
        get throws(UnusableSetting) {
            try Self.secret(
                imgproxy.encryptionKey, "imgproxy.encryption-key", file: imgproxy.encryptionKeyFile,
                credential: "imgproxy-encryption-key")
        }
    }

    /// The keys of a dialect of operations; `none` if there are none.
    /// - Throws: if they are set twice, or their file is unreadable or malformed.
    package func operationSecrets(
        _ own: Operations, _ group: String
    ) throws(UnusableSetting) -> PlainKeys {
        try Self.secret(own.keys, "\(group).keys", file: own.keysFile, credential: "\(group)-keys")
    }

    /// The access key, the secret and the session token for a store: those of the settings and of the service manager, or those of
    /// the environment by the names that Amazon's tools have given them; nil for none.
    /// - Throws: if one of the key's parts is missing.
    package static func keys(
        for store: StoreAccess, _ environment: [String: String]
    ) throws(UnusableSetting) -> (access: String, secret: String, token: String)? {
        let (group, accessKey) = (store.group, store.accessKey)
        let secret: ServiceSecret = try Self.secret(
            store.secretKey, "\(group).secret-key", file: "", credential: "\(group)-secret-key")
        let token: ServiceSecret = try Self.secret(
            store.sessionToken, "\(group).session-token", file: "", credential: "\(group)-session-token")
        if !accessKey.isEmpty || secret.isSet || token.isSet {
            guard secret.isSet else {
                let name = accessKey.isEmpty ? "session-token" : "access-key"
                throw UnusableSetting(
                    description: "\(group).\(name) is set, and \(group).secret-key is not")
            }
            guard !accessKey.isEmpty else {
                throw UnusableSetting(
                    description: "\(group).secret-key is set, and \(group).access-key is not")
            }
            return (accessKey, secret.text, token.text)
        }
        let access = variable("AWS_ACCESS_KEY_ID", environment)
        let given = variable("AWS_SECRET_ACCESS_KEY", environment)
        guard !access.isEmpty, !given.isEmpty else { return nil }
        return (access, given, variable("AWS_SESSION_TOKEN", environment))
    }

    /// The account for `azure://`, and its key or a token or neither: those of the settings and of the service manager, or those
    /// of the environment by the names that Azure's tools have given them.
    /// - Throws: if there are both a key and a token, or if the account is not a valid name.
    package func azureAccess(
        _ environment: [String: String]
    ) throws(UnusableSetting) -> (account: String, key: String, token: String) {
        let key: ServiceSecret = try Self.secret(
            azure.accountKey, "azure.account-key", file: "", credential: "azure-account-key")
        let token: ServiceSecret = try Self.secret(
            azure.sasToken, "azure.sas-token", file: "", credential: "azure-sas-token")
        let account =
            azure.account.isEmpty ? Self.variable("AZURE_STORAGE_ACCOUNT", environment) : azure.account
        if key.isSet, token.isSet {
            throw UnusableSetting(description: "azure.account-key and azure.sas-token are both set")
        }
        guard account.utf8.allSatisfy(Setting.isAccountByte) else {
            throw UnusableSetting(
                description:
                    "azure.account or $AZURE_STORAGE_ACCOUNT is no name of lower-case letters and digits")
        }
        if key.isSet || token.isSet { return (account, key.text, token.text) }
        let given = (
            key: Self.variable("AZURE_STORAGE_KEY", environment),
            token: Self.variable("AZURE_STORAGE_SAS_TOKEN", environment)
        )
        guard given.key.isEmpty || given.token.isEmpty else {
            throw UnusableSetting(
                description:
                    "$AZURE_STORAGE_KEY and $AZURE_STORAGE_SAS_TOKEN are both set; azure.account-key or azure.sas-token chooses"
            )
        }
        return (account, given.key, given.token)
    }

    /// The password for the fleet's Redis; `none` if there is none.
    /// - Throws: if its credential is unreadable or malformed.
    package var fleetPassword: ServiceSecret {
        get throws(UnusableSetting) {
            try Self.secret(fleet.password, "fleet.password", file: "", credential: "fleet-password")
        }
    }

    /// A variable that another tool defines, without white space at its ends; empty if it is not set.
    private static func variable(_ name: String, _ environment: [String: String]) -> String {
        (environment[name] ?? "").trimming(while: \.isWhitespace)
    }

    /// A secret from the setting, from its file, or from the service manager's credentials (systemd.exec(5), LoadCredential=).
    private static func secret<Value: SecretValue>(
        _ value: Value, _ key: String, file: String, credential: String
    ) throws(UnusableSetting) -> Value {
        guard !value.isSet || file.isEmpty else {
            throw UnusableSetting(description: "\(key) and \(key)-file are both set")
        }
        if value.isSet { return value }
        if !file.isEmpty { return try secret(in: file, named: "\(key)-file") }
        return try Self.credential(credential).map { path throws(UnusableSetting) in
            try secret(in: path, named: "the credential \(credential)")
        } ?? .none
    }

    /// The path of the service manager's credential with this name; nil if there is none.
    static func credential(_ name: String) -> String? {
        let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
        let path = "\(folder)/\(name)"
        return !folder.isEmpty && FilePresence.isPossible(path) ? path : nil
    }

    /// The secret in a file.
    /// - Parameter name: the setting or the credential to which the file belongs, for messages.
    /// - Throws: if the file is unreadable, empty or malformed.
    private static func secret<Value: SecretValue>(
        in path: String, named name: String
    ) throws(UnusableSetting) -> Value {
        let text: String
        do {
            text = try String(smallFile: path)
        } catch {
            throw UnusableSetting(description: "\(name): \(path): \(error.fileReason)")
        }
        guard let secret = Value(settingText: text), secret.isSet else {
            throw UnusableSetting(description: "\(name): \(path) must hold \(Value.settingForm)")
        }
        return secret
    }
}
