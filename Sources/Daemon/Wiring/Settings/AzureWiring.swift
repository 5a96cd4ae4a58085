// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Origin
internal import Settings

extension Settings {
    /// Nil if no container is named.
    /// - Throws: for a mistake; the message contains no secret.
    var blobStore: BlobStore? {
        get throws(UnusableSetting) {
            guard !azure.containers.isEmpty else { return nil }
            let given = try azureAccess(ProcessInfo.processInfo.environment)
            if given.account.isEmpty, azure.endpoint.isEmpty || !given.key.isEmpty {
                throw UnusableSetting(description: "azure.containers is set, and azure.account is not")
            }
            let text =
                azure.endpoint.isEmpty
                ? "https://\(given.account).blob.core.windows.net" : azure.endpoint
            guard let endpoint = BlobStore.endpoint(text) else {
                // The endpoint's text is not shown, because it may contain a token.
                throw UnusableSetting(
                    description:
                        "azure.endpoint is no URL such as https://account.blob.core.windows.net; a token belongs into azure.sas-token"
                )
            }
            var store = BlobStore(endpoint: endpoint, containers: Set(azure.containers))
            if !given.key.isEmpty {
                guard let key = SharedKey(account: given.account, base64: given.key) else {
                    throw UnusableSetting(description: "azure.account-key or $AZURE_STORAGE_KEY is no base64")
                }
                store.access = .key(key)
            } else if !given.token.isEmpty {
                guard let token = AccessToken(given.token) else {
                    throw UnusableSetting(
                        description:
                            "azure.sas-token or $AZURE_STORAGE_SAS_TOKEN is no shared access signature, as sv=…&sig=…"
                    )
                }
                store.access = .token(token)
            }
            return store
        }
    }
}
