// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import DecoderPool
package import Kernel
package import Pipeline
internal import Platform
package import RequestGrammar
package import Settings
internal import SourceURLs
internal import Telemetry

/// The daemon's pipeline and its jailed worker processes, without listeners, network and caches.
package struct OfflineEngine: Sendable {
    private let pipeline: Pipeline<Body>
    private let files: FileOrigin
    private let decoders: DecoderPool
    private let inspectors: InspectorPool

    /// The number of files that are rendered at the same time.
    package let jobs: Int

    /// Starts the processes, one decoder for each file at a time (`decoder.processes`).
    /// - Throws: `StartupFailure` if none can be started, `UnusableSetting` for a setting's mistake.
    package static func start(_ settings: Settings) async throws -> OfflineEngine {
        let zygote = Zygote(settings.workerProgram)
        let (decoders, engine) = try await settings.startDecoders(of: zygote)
        do {
            let inspectors = try await settings.startInspectors(of: zygote)
            do {
                return try await OfflineEngine(settings, decoders, inspectors, engine: engine)
            } catch {
                await inspectors.shutDown()
                throw error
            }
        } catch {
            await decoders.shutDown()
            throw error
        }
    }

    private init(
        _ settings: Settings, _ decoders: DecoderPool, _ inspectors: InspectorPool, engine: EngineInForce
    ) async throws {
        var configuration = try settings.pipelineConfiguration(engine: engine.name)
        configuration.fetches = AdmissionLimits(permits: settings.decoders)
        // Nothing may time out in the queues: no more files are begun than there are decoders.
        configuration.decodes.queueAge = .max / 2
        configuration.decodes.standingWork = .max
        let files = FileOrigin(limit: settings.origin.maximumBody.bytes)
        let decoder = DecoderAdapter(
            pool: decoders, inspectors: inspectors,
            outputLimit: settings.decoder.maximumOutput.bytes,
            pixelLimit: configuration.pictures.outputPixels, makeFile: MemoryFile.empty,
            held: HeldBytes(),
            metrics: Metrics(
                build: BuildInfo(version: Version.current, libvips: engine.name), codes: ErrorCode.all))
        let pipeline = Pipeline<Body>(
            PipelinePorts(
                origin: files, cache: NoCache(), decoder: decoder, environment: SystemEnvironment()),
            configuration: configuration, watermarks: try await settings.watermarks(inspectedBy: inspectors))
        engine.follow { [weak pipeline] in pipeline?.adopt(library: $0) }
        self.pipeline = pipeline
        (self.files, self.decoders, self.inspectors) = (files, decoders, inspectors)
        jobs = settings.decoders
    }

    /// Renders the picture in the file's first `length` bytes.
    /// - Parameter order: the options; its source is ignored.
    /// - Throws: the reason why there is no picture.
    package func render(
        _ file: OwnedDescriptor, length: Int, by order: ImageRequest
    ) async throws(PipelineFailure) -> (rendition: Rendition, body: Body) {
        guard let url = files.lend(file, length: length) else {
            throw PipelineFailure(.unavailable(.picture))
        }
        defer { files.takeBack(url) }
        let answer = try await pipeline.answer(
            PipelineRequest(source: url, recipe: order.recipe, isVouchedFor: true))
        return (answer.rendition, answer.body)
    }

    /// Ends the processes.
    package func shutDown() async {
        await decoders.shutDown()
        await inspectors.shutDown()
    }
}
