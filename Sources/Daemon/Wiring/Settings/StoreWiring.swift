// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Foundation
internal import Origin
internal import Settings
internal import SourceURLs

extension Settings {
    /// A store as the settings describe it, with keys from the settings or the environment.
    /// - Throws: for a malformed endpoint, for an address that would have a bucket's name before it, or for an incomplete key.
    static func objectStore(
        _ access: StoreAccess, buckets: Set<String>
    ) throws(UnusableSetting) -> ObjectStore {
        let text = access.endpoint.isEmpty ? AmazonService.store.url(in: access.region) : access.endpoint
        guard let endpoint = ObjectStore.endpoint(text) else {
            // The text is not shown, because it may contain a key.
            let group = access.group
            throw UnusableSetting(
                description:
                    "\(group).endpoint is no URL such as https://store.example:9000; keys belong into \(group).access-key and \(group).secret-key"
            )
        }
        guard access.style == .path || IPAddress(endpoint.host) == nil else {
            let group = access.group
            throw UnusableSetting(
                description:
                    "\(group).style is host, and \(group).endpoint is an address, before which no bucket's name can stand; path is for such a store"
            )
        }
        let keys = try keys(for: access, ProcessInfo.processInfo.environment)
        return ObjectStore(
            endpoint: endpoint, region: access.region, style: access.style == .host ? .host : .path,
            buckets: buckets,
            credentials: keys.map {
                StoreCredentials(accessKey: $0.access, secretKey: $0.secret, sessionToken: $0.token)
            })
    }

    /// The source that issues the stores' keys; nil if the settings or the environment have keys, or if no source is named.
    /// - Throws: if a variable names a source that must not be asked.
    var keySource: KeySource? {
        get throws(UnusableSetting) {
            var wanting: [StoreAccess] = []
            if !s3.buckets.isEmpty, try Self.lacksKeys(s3.access) { wanting.append(s3.access) }
            if !sharedStore.bucket.isEmpty, try Self.lacksKeys(sharedStore.access) {
                wanting.append(sharedStore.access)
            }
            guard let first = wanting.first else { return nil }
            return try Self.keySource(
                in: first.region, asksMachine: wanting.contains(where: \.keysFromMachine))
        }
    }

    /// True if requests for `s3://` are signed with the platform's keys.
    var signsOriginalsByPlatform: Bool {
        get throws(UnusableSetting) { s3.buckets.isEmpty ? false : try Self.isSignedByPlatform(s3.access) }
    }

    /// True if requests to the shared store are signed with the platform's keys.
    var signsSharedStoreByPlatform: Bool {
        get throws(UnusableSetting) {
            sharedStore.bucket.isEmpty ? false : try Self.isSignedByPlatform(sharedStore.access)
        }
    }

    private static func isSignedByPlatform(_ store: StoreAccess) throws(UnusableSetting) -> Bool {
        guard try lacksKeys(store) else { return false }
        return try keySource(in: store.region, asksMachine: store.keysFromMachine) != nil
    }

    private static func lacksKeys(_ store: StoreAccess) throws(UnusableSetting) -> Bool {
        try keys(for: store, ProcessInfo.processInfo.environment) == nil
    }

    private static func keySource(
        in region: String, asksMachine: Bool
    ) throws(UnusableSetting) -> KeySource? {
        do throws(UnusableKeySource) {
            return try KeySource(
                ProcessInfo.processInfo.environment, region: region, asksMachine: asksMachine)
        } catch {
            throw UnusableSetting(
                description:
                    "\(error.variable) names neither an https URL nor a place on this machine: keys are not asked for over a network without TLS"
            )
        }
    }
}
