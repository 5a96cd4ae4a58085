// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Origin
internal import Settings
internal import Stores

extension Settings {
    /// Nil without a shared store.
    /// - Parameter keys: the keys that the platform issues.
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

    /// How objects are read: with the downloader for originals, but with other deadlines and without the rules for origins.
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
        // Objects need no proof, because the checksum reveals an object that belongs to another name.
        (configuration.unprovenTime, configuration.tellsDesyncs) = (.seconds(3_600), false)
        // An object has metadata and a trailer besides the body.
        configuration.bodyLimit = sharedStore.queueBytes.bytes + (1 << 20)
        let files = OpenFiles(self)
        (configuration.transferLimit, configuration.lookupLimit) = (files.sharedReads, files.lookups)
        configuration.connectionsPerHost = configuration.transferLimit
        configuration.idleConnections = configuration.transferLimit
        return configuration
    }

    /// The most reads of the shared store at once; a further one counts as a miss. Each needs two descriptors.
    static let sharedReads = 64

    var sharedStoreConfiguration: SharedStoreConfiguration {
        var configuration = SharedStoreConfiguration(
            purges: LastingFile.Name.sharedPurges.path(in: cacheFolder))
        configuration.originals = sharedStore.originals
        configuration.renditions = sharedStore.renditions
        configuration.queueCount = OpenFiles(self).sharedWrites
        configuration.queueBytes = sharedStore.queueBytes.bytes
        configuration.hedges = sharedStore.hedge
        // Enough for the connection and for the first byte.
        configuration.deadline = 2 * sharedStore.firstByteTimeout.microseconds
        return configuration
    }
}
