// SPDX-License-Identifier: Apache-2.0

internal import Hashing
internal import Kernel
internal import Logging
internal import Origin
internal import Platform
package import Settings
internal import SourceURLs
internal import Stores

/// Writes an object to the shared store's bucket, reads it back, deletes it, and checks that it is gone.
package enum SharedStoreCheck {
    /// One line with the result; none without a shared store.
    /// - Throws: if a setting cannot be used.
    package static func findings(_ settings: Settings) async throws -> [CheckFinding] {
        let authorities = try settings.certificateAuthorities
        let keys = StoreKeys(logger: Logger(label: "pictor"))
        guard let place = try settings.sharedStorePlace(authorities, keys.credentials) else { return [] }
        try await keys.serve(settings, authorities?.bundle)
        defer { keys.close() }
        let name = "The shared store's bucket \(place.bucket) of \(place.store.endpoint.origin)"
        do throws(ObjectFailure) {
            try await trial(settings, place)
            return [
                .good("\(name) takes objects and gives them back.")
            ]
        } catch {
            return [.obstacle("\(name): \(error.words).")]
        }
    }

    private static func trial(_ settings: Settings, _ place: SharedStorePlace) async throws(ObjectFailure) {
        let downloader = Downloader(
            settings.readerConfiguration(place),
            makeFile: { () throws(SystemError) in try MemoryFile.empty() }
        ) {
            SystemEnvironment.now()
        }
        guard let writer = place.writer(until: { false }), (try? downloader.start()) != nil else {
            throw ObjectFailure(.own, "libcurl or a thread is not available")
        }
        defer { downloader.shutdown() }
        let bytes = (0..<64).map { _ in UInt8.random(in: 0...255) }
        let name = "check/\(UInt64.random(in: 0...UInt64.max))"
        let objects = SharedObjects(downloader: downloader, place: place)
        try writer.put(.bytes(ImmutableBytes(bytes)), SHA256.digest(of: bytes), as: name)
        let reply = await objects.get(name)
        try writer.delete(name)
        switch reply {
        case .absent: throw ObjectFailure(.error, "what was written is not there")
        case .failed(let failure): throw failure
        case .found(let file, let length, _):
            guard file.bytes(count: length).map({ Array($0.buffer) }) == bytes else {
                throw ObjectFailure(.error, "what was written comes back as something else")
            }
        }
        try await lookInVain(for: name, by: objects, writer)
    }

    /// To a key that may not list the bucket, Amazon's store answers a missing object with a refusal in place of 404. Each miss
    /// would then count as a failure of the store, and the store would rest most of the time.
    private static func lookInVain(
        for name: String, by objects: SharedObjects, _ writer: SharedObjectWriter
    ) async throws(ObjectFailure) {
        if case .failed(let failure) = await objects.get(name) {
            throw ObjectFailure(
                failure.kind,
                "an object that is missing is refused, as to a key that may not list the bucket: \(failure.words)"
            )
        }
        do throws(ObjectFailure) { _ = try writer.names(below: "check/", after: nil) } catch {
            throw ObjectFailure(error.kind, "the bucket's list is refused, which purges need: \(error.words)")
        }
    }
}
