// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Logging
internal import Monitoring
internal import Origin
internal import Platform
internal import Settings
internal import SourceURLs
internal import Stores

/// The shared store with the downloader that reads its bucket, and the leases by which only one node does a piece of work for the
/// store.
struct SharedLevel: Sendable {
    let store: SharedStore
    /// Nil without a fleet.
    let leases: LeaseAdapter?
    private let downloader: Downloader
    private let watch: Task<Void, Never>

    /// Nil without a shared store. Starts its threads.
    /// - Throws: if it cannot be set up; not if the store does not answer.
    init?(
        _ settings: Settings, _ authorities: CertificateAuthorities?, _ keys: RenewedCredentials,
        makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor,
        isInDoubt: @escaping @Sendable (OriginalKey) -> Bool,
        noteDoubt: @escaping @Sendable (OriginalKey) -> Bool, logger: Logger
    ) throws {
        guard let place = try settings.sharedStorePlace(authorities, keys) else { return nil }
        // Objects need no proof, because the checksum reveals an object that belongs to another name.
        let downloader = Downloader(
            settings.readerConfiguration(place), unproven: UnprovenAnswers(limit: .max), makeFile: makeFile
        ) {
            SystemEnvironment.now()
        }
        let environment = SystemEnvironment()
        store = try SharedStore(
            settings.sharedStoreConfiguration,
            SharedEnvironment(
                now: { environment.now() }, ticks: { environment.ticks() }, chance: { environment.chance() },
                report: { $0.log(to: logger) }, isInDoubt: isInDoubt, noteDoubt: noteDoubt),
            reader: SharedObjects(downloader: downloader, place: place)
        ) { flag in
            place.writer { flag.isSet }
        }
        try downloader.start()
        try store.start()
        leases = try LeaseAdapter(settings, authorities)
        self.downloader = downloader
        // A network thread that hangs keeps no deadlines. This task gives up the reads that wait for it; they count as failed.
        watch = Task {
            while !Task.isCancelled {
                _ = downloader.look()
                try? await Task.sleep(for: StallWatch.interval)
            }
        }
    }

    /// Writes waiting objects for a limited time, and ends the threads. Blocks.
    func close() {
        store.close()
        leases?.close()
        watch.cancel()
        downloader.shutdown()
    }
}
