// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Origin
internal import Settings

extension Settings {
    /// The source of the stores' keys; nil where the settings or the environment have them, or none is named.
    /// - Throws: if a variable names somebody who may not be asked.
    var keySource: KeySource? {
        get throws(UnusableSetting) {
            let (originals, shared) = (try lacksKeys(s3.buckets.isEmpty, storeKeys), try lacksSharedKeys)
            guard originals || shared else { return nil }
            return try keySource(
                in: originals ? s3.region : sharedStore.region,
                asksMachine: originals && s3.keysFromMachine || shared && sharedStore.keysFromMachine)
        }
    }

    /// True if requests for `s3://` are signed with the platform's keys.
    var signsOriginalsByPlatform: Bool {
        get throws(UnusableSetting) {
            guard try lacksKeys(s3.buckets.isEmpty, storeKeys) else { return false }
            return try keySource(in: s3.region, asksMachine: s3.keysFromMachine) != nil
        }
    }

    /// True if requests to the shared store are.
    var signsSharedStoreByPlatform: Bool {
        get throws(UnusableSetting) {
            guard try lacksSharedKeys else { return false }
            return try keySource(in: sharedStore.region, asksMachine: sharedStore.keysFromMachine) != nil
        }
    }

    private var lacksSharedKeys: Bool {
        get throws(UnusableSetting) { try lacksKeys(sharedStore.bucket.isEmpty, sharedStoreKeys) }
    }

    private func lacksKeys(
        _ isUnused: Bool,
        _ keys: ([String: String]) throws(UnusableSetting) -> (access: String, secret: String, token: String)?
    ) throws(UnusableSetting) -> Bool {
        guard !isUnused else { return false }
        return try keys(ProcessInfo.processInfo.environment) == nil
    }

    private func keySource(in region: String, asksMachine: Bool) throws(UnusableSetting) -> KeySource? {
        do throws(UnusableKeySource) {
            return try KeySource(
                ProcessInfo.processInfo.environment, region: region, asksMachine: asksMachine)
        } catch {
            throw UnusableSetting(
                description:
                    "\(error.variable) names no https URL and no place on this machine: keys are not asked for over a network in the clear"
            )
        }
    }
}
