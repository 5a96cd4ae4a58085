// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension Settings {
    /// An account of Azure Blob Storage.
    package struct Azure: Sendable, Equatable {
        /// Containers that clients may name.
        package var containers: [String] = []
        /// The account's name; empty to take it from the environment.
        package var account = ""
        /// The endpoint's URL; empty for Azure's usual one.
        package var endpoint = ""
        /// The account's key, in base64.
        var accountKey = ServiceSecret.none
        /// A shared access signature: parameters of a query.
        package var sasToken = ServiceSecret.none
    }
}

extension Setting {
    static let azure: [Setting] = [
        Setting(
            "azure.containers", \.azure.containers, .live,
            "Containers that originals may be fetched from: with media, azure://media/a/b.jpg is the blob a/b.jpg of it. Empty: none.",
            form: "a list of containers' names, separated by commas"
        ) { $0.allSatisfy(NamedPlaces.isName) },
        Setting(
            "azure.account", \.azure.account, .live,
            "The storage account. Empty: $AZURE_STORAGE_ACCOUNT.",
            form: "lower-case letters and digits"
        ) { $0.utf8.count <= 63 && $0.utf8.allSatisfy(Self.isAccountByte) },
        Setting(
            "azure.endpoint", \.azure.endpoint, .live,
            "The blob service, as https://account.blob.core.windows.net or, of an emulator, http://127.0.0.1:10000/account. Its address may be private. Empty: Azure's of the account."
        ),
        Setting(
            "azure.account-key", \.azure.accountKey, .live,
            "A key of the account, in base64, that requests are signed with (Shared Key). Without it and azure.sas-token, $AZURE_STORAGE_KEY or $AZURE_STORAGE_SAS_TOKEN; without these, requests are not signed. No flag."
        ),
        Setting(
            "azure.sas-token", \.azure.sasToken, .live,
            "A shared access signature in place of a key, as sv=…&sig=…. No flag."),
    ]

    static func isAccountByte(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte.isASCIILetter && byte == byte.asciiLowercased
    }
}
