// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
@testable import Settings
import Testing

@Suite("The limit of open files is shared out") struct OpenFilesTests {
    private func settings(decoders: Int = 2, shares: Bool = false, fleet: Bool = false) -> Settings {
        var settings = Settings()
        settings.decoder.processes = decoders
        if shares { settings.sharedStore.bucket = "pictures" }
        if fleet { settings.fleet.redis = ["redis.example:6379"] }
        return settings
    }

    private static let limits = [64, 100, 128, 256, 1_024, 4_096, 20_000, 65_536, 1 << 20, Int(Int32.max)]

    @Test(arguments: limits, [(false, false), (true, false), (true, true)])
    func `each part has some, and none has another's`(limit: Int, with: (store: Bool, fleet: Bool)) {
        for decoders in [1, 2, 64] {
            let settings = settings(decoders: decoders, shares: with.store, fleet: with.fleet)
            let files = OpenFiles(settings, limit: limit)
            #expect(0 < files.clients && files.clients < files.requests && files.requests < limit)
            #expect(files.fetches > 0 && files.sharedReads > 0)
            #expect(files.fetches <= files.lookups && files.sharedReads <= files.lookups)
            let lookups = files.lookups * (with.store ? 2 : 1)
            #expect(limit - files.requests - 4 * lookups >= min(limit / 4, 32 + 8 * decoders))
            // Requests have some that clients of neither listener can take.
            #expect(files.requests - files.clients > files.adminClients)
        }
    }

    @Test func `with the service's limit no setting is bounded`() {
        for decoders in [2, 64] {
            let settings = settings(decoders: decoders, shares: true, fleet: true)
            let files = OpenFiles(settings, limit: 65_536)
            #expect(files.wanted <= 65_536)
            #expect(files.fetches == settings.origin.maximumFetches)
            #expect(files.sharedReads == Settings.sharedReads)
            #expect(files.renditions == settings.cache.openFiles)
            #expect(files.connections(settings) == settings.server.maximumConnections)
        }
    }

    @Test func `what the settings want is enough for them`() {
        let settings = settings(shares: true, fleet: true)
        let files = OpenFiles(settings, limit: OpenFiles(settings, limit: 1_024).wanted)
        #expect(files.limit == files.wanted)
        #expect(files.connections(settings) == settings.server.maximumConnections)
        #expect(files.fetches == settings.origin.maximumFetches)
    }

    @Test func `without a known limit nothing is bounded`() {
        let settings = settings()
        let files = OpenFiles(settings, limit: -1)
        #expect(files.clients == 0)
        #expect(files.connections(settings) == settings.server.maximumConnections)
        #expect(files.fetches == settings.origin.maximumFetches)
    }
}
