// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Origin
internal import Settings
internal import Stores

extension Settings {
    /// Nil without a shared store.
    /// - Parameter keys: those of the platform.
    func sharedStorePlace(
        _ authorities: CertificateAuthorities?, _ keys: RenewedCredentials? = nil
    ) throws(UnusableSetting) -> SharedStorePlace? {
        let settings = sharedStore
        guard !settings.bucket.isEmpty else { return nil }
        var store = try Self.objectStore(settings.access, buckets: [settings.bucket])
        if try signsSharedStoreByPlatform { store.renewed = keys }
        return SharedStorePlace(
            store: store, bucket: settings.bucket,
            prefix: settings.prefix.isEmpty ? "" : settings.prefix + "/",
            authorities: authorities?.bundle)
    }

    /// How objects are read: as originals are, with other deadlines and by no rule of origins.
    func readerConfiguration(_ place: SharedStorePlace) -> OriginConfiguration {
        var configuration = OriginConfiguration()
        configuration.store = place.store
        configuration.authorities = place.authorities
        configuration.userAgent = origin.userAgent
        configuration.accept = "*/*"
        configuration.connectTimeout = sharedStore.firstByteTimeout
        configuration.firstByteTimeout = sharedStore.firstByteTimeout
        configuration.idleTimeout = sharedStore.timeout
        configuration.totalTimeout = sharedStore.timeout
        configuration.minimumRate = 0
        configuration.resumptionLimit = 0
        configuration.redirectLimit = 0
        // An object under another name is found out by its checksum.
        (configuration.unprovenTime, configuration.tellsDesyncs) = (.seconds(3_600), false)
        // The metadata and the trailer come on top of a body.
        configuration.bodyLimit = sharedStore.queueBytes.bytes + (1 << 20)
        let files = OpenFiles(self)
        (configuration.transferLimit, configuration.lookupLimit) = (files.sharedReads, files.lookups)
        configuration.connectionsPerHost = configuration.transferLimit
        configuration.idleConnections = configuration.transferLimit
        return configuration
    }

    /// Reads of the shared store at once; more count as missing. Each takes two descriptors.
    static let sharedReads = 64

    var sharedStoreConfiguration: SharedStoreConfiguration {
        var configuration = SharedStoreConfiguration(
            purges: LastingFile.Name.sharedPurges.path(in: cacheFolder))
        configuration.originals = sharedStore.originals
        configuration.renditions = sharedStore.renditions
        configuration.queueCount = OpenFiles(self).sharedWrites
        configuration.queueBytes = sharedStore.queueBytes.bytes
        configuration.hedges = sharedStore.hedge
        // A connection, and the first byte.
        configuration.deadline = 2 * sharedStore.firstByteTimeout.microseconds
        return configuration
    }
}
