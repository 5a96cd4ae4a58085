// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Fleet
internal import HTTPServer
internal import Monitoring
internal import Origin
internal import Pipeline
internal import Stores
internal import TraceExport

extension CompositionRoot {
    /// The steps in the order of opening; a shutdown runs them from the last to the first. The admin listener outlives the public
    /// one, so that operators can watch the drain.
    ///
    /// Each step has a time limit, because the disk may hang, and because the service manager is told how long to wait.
    ///
    /// - Parameter purges: the task of `DesyncPurges`; it ends after the downloader, once it has purged the last doubtful
    ///   originals.
    func shutdownSteps(_ purges: Task<Void, Never>) -> [ShutdownStep] {
        [
            // `close` limits its own time.
            ShutdownStep("cache", atMost: adapters.disk.longestClose) { [disk = adapters.disk] in
                await onOwnThread { disk.close() }
            },
            // It closes before the disk cache, whose files wait to be written to the store. It writes waiting objects for 2 s at
            // most.
            .blocking("shared-store", atMost: .seconds(5)) { [shared = adapters.shared] in shared?.close() },
            .blocking("fleet", atMost: .seconds(3)) { [news, fleet = adapters.fleet] in
                news?.close()
                fleet?.close()
            },
            // Both write what waits, for 1 s and 2 s at most.
            .blocking("access-log", atMost: .seconds(3)) { [recorder] in recorder.accessLog.stream.close() },
            .blocking("traces", atMost: .seconds(3)) { [recorder] in recorder.traces?.exporter.close() },
            ShutdownStep("keys") { [keys = adapters.keys] in keys.close() },
            ShutdownStep("files") { [files = adapters.files] in files.shutdown() },
            ShutdownStep("purges", atMost: .seconds(3)) { await awaitEnd(of: purges, atMost: .seconds(3)) },
            .blocking("downloader", atMost: .seconds(3)) { [downloader = adapters.downloader] in
                downloader.shutdown()
            },
            // Both pools shut down at the same time: they share a zygote, and a task that waits for it ends only when its own
            // pool is told.
            ShutdownStep("workers", atMost: .seconds(10)) {
                [decoders = adapters.decoders, inspectors = adapters.inspectors] in
                async let rest: Void = inspectors.shutDown()
                await decoders.shutDown()
                await rest
            },
            ShutdownStep("admin", atMost: .seconds(1)) { [adminServer] in
                // This lets the request that ordered the drain get its answer.
                await adminServer?.drain(within: .seconds(1))
            },
            ShutdownStep("public", atMost: drainTimes.longest) {
                [publicServer, readiness, drainTimes, pipeline, downloader = adapters.downloader] in
                readiness.leave()
                downloader.prepareToStop()
                let (delay, timeout) = drainTimes.now
                try? await Task.sleep(for: delay)
                pipeline.endLaterWork()
                await publicServer.drain(within: timeout)
            },
        ]
    }
}
