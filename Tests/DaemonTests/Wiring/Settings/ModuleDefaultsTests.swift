// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import DecoderPool
import HTTPCaching
import HTTPServer
import Origin
import Pipeline
@testable import Settings
import Testing

/// A module's own default is the value that the daemon gives it without a settings file.
@Suite("A module's defaults are those of the settings") struct ModuleDefaultsTests {
    private let settings = Settings()

    @Test func `of the server`() throws {
        let wired = try settings.publicServerConfiguration
        var own = HTTPServerConfiguration(listeners: wired.listeners)
        // These two properties depend on the machine.
        (own.loops, own.descriptorLimit) = (wired.loops, wired.descriptorLimit)
        #expect(wired == own)
    }

    @Test func `of the downloader`() throws {
        var wired = try settings.originConfiguration
        var own = OriginConfiguration()
        // This property depends on the machine.
        own.lookupLimit = wired.lookupLimit
        // Only the daemon marks its requests, because only its requests can come back to it.
        own.marksLoops = true
        // The daemon appends the version to the name.
        #expect(wired.userAgent.hasPrefix(own.userAgent))
        wired.userAgent = own.userAgent
        #expect(wired == own)
    }

    @Test func `of the caches and of what is remembered`() throws {
        let wired = try settings.pipelineConfiguration(engine: "test")
        let own = PipelineConfiguration(engine: wired.engine, fetches: wired.fetches, decodes: wired.decodes)
        #expect(wired.caching == own.caching && wired.caching == CachePolicy())
        #expect(wired.negative == own.negative)
        #expect(wired.health == own.health)
        #expect(wired.renderTimeout == own.renderTimeout)
        #expect(wired.backgroundRefreshes == own.backgroundRefreshes)
        #expect(wired.staleWait == own.staleWait)
        #expect(wired.makesAVIFLater == own.makesAVIFLater)
        #expect(wired.renditionsPerOriginal == own.renditionsPerOriginal)
        // The machine may permit few descriptors.
        #expect(wired.fleetFetchesPerHost == settings.origin.maximumFetchesPerHost)
        var pictures = own.pictures
        // The memory is a share of the machine's.
        pictures.memory = wired.pictures.memory
        #expect(wired.pictures == pictures)
    }

    @Test func `of the decoders`() {
        let (wired, own) = (settings.poolSettings, WorkerPoolSettings())
        #expect(wired.processes == own.processes && wired.spares == own.spares)
        #expect(settings.workerProgram.formats == WorkerProgram().formats)
        #expect(wired.fileSize == own.fileSize && wired.recycleAfter == own.recycleAfter)
    }
}
