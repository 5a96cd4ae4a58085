// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Endpoints
internal import HTTPSemantics
internal import HTTPServer
internal import Monitoring
internal import Origin
internal import Pipeline
internal import Platform
internal import Settings

extension CompositionRoot {
    /// Applies the settings that can change while the daemon runs. Everything that can fail comes first.
    func take(_ settings: Settings) async throws {
        let configuration = try settings.pipelineConfiguration(engine: adapters.engine.name)
        var origins = try settings.originConfiguration
        // Read again, because the files may have changed although the setting has not.
        origins.authorities = try settings.certificateAuthorities?.bundle
        try adapters.keys.sign(&origins, by: settings)
        let (publicOnes, adminOnes) = (
            try settings.publicServerConfiguration, try settings.adminServerConfiguration
        )
        let folders = try settings.fileConfiguration
        var rules = try Self.publicRules(settings, adapters, recorder.metrics, readiness)
        let watermarks = try await settings.watermarks(inspectedBy: adapters.inspectors)
        let fallback = try await settings.fallbackPicture(inspectedBy: adapters.inspectors)
        let admin = try administration.endpoint(settings, rules)
        try await adapters.keys.serve(settings, origins.authorities)
        OpenFiles(settings).keepReserve()
        recorder.accessLog.replace(with: settings)
        recorder.traces?.replace(hiding: settings.secretParameters, settings.samplingRule)
        drainTimes.replace(with: settings.server)
        // This comes before the pipeline, which may admit more sources afterwards.
        adapters.downloader.replaceConfiguration(with: origins)
        adapters.files.replaceConfiguration(with: folders)
        pipeline.replace(configuration, watermarks: watermarks, fallback: fallback)
        adapters.answerCache.beginEpoch()
        // HTTP's dates are in whole seconds, and answers of the present second may have been made under the old rules.
        rules.since = Timestamp(seconds: SystemEnvironment.now().seconds + 1)
        await publicServer.replace(
            handler: PublicEndpoint(
                pipeline: pipeline, answerCache: adapters.answerCache, recorder: recorder, rules: rules),
            configuration: publicOnes)
        await adminServer?.replace(handler: admin, configuration: adminOnes)
        // The token may have changed, so the streams end; clients with the new token connect again.
        administration.live.monitor.broadcast.dismiss()
    }
}
