// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Endpoints
internal import Kernel
internal import Logging
internal import Monitoring
internal import Origin
internal import Pipeline
internal import Settings
internal import Signatures
internal import Stores
internal import Telemetry

/// Reads the settings again, checks all of them, and applies those that can change while the daemon runs. If there is a mistake
/// anywhere, nothing changes.
///
/// **Isolation:** an actor; one reload runs at a time, in the order of the requests.
actor Reloader {
    /// Reads the settings from where they were read at the start.
    typealias Load = @Sendable () throws(SettingsLoader.Mistakes) -> Settings

    /// The settings in force.
    private var settings: Settings
    /// The state of the files that these settings name, before they were read.
    private var files: SettingFiles
    /// The same of the files with secrets alone.
    private var secretFiles: SettingFiles
    private let root: CompositionRoot
    private let logRules: LogRules
    private let logger: Logger
    private let load: Load
    /// Whether the search list completes names; decided at the start (`NameSearch`).
    private let completesNames: Bool
    /// The last reload, for which the next one waits. This is needed because methods of an actor interleave where they await.
    private var last: Task<Void, Never>?

    init(
        _ settings: Settings, _ files: SettingFiles, secretFiles: SettingFiles, _ root: CompositionRoot,
        logRules: LogRules, logger: Logger, load: @escaping Load
    ) {
        self.settings = settings
        self.files = files
        self.secretFiles = secretFiles
        self.root = root
        self.logRules = logRules
        self.logger = logger
        self.load = load
        completesNames = settings.completesNames
    }

    /// The settings in force once a reload that is under way has ended, and the state of their files with secrets before these were
    /// read.
    func inForce() async -> (settings: Settings, secretFiles: SettingFiles) {
        await last?.value
        return (settings, secretFiles)
    }

    func reload() async throws(ReloadRoute.Failure) -> ReloadReport {
        let before = last
        let task = Task { () -> Result<ReloadReport, ReloadRoute.Failure> in
            await before?.value
            return await self.change()
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }

    private func change() async -> Result<ReloadReport, ReloadRoute.Failure> {
        ServiceNotifier.tell(.reloading)
        defer { ServiceNotifier.tell(.ready) }
        do {
            let new = try load()
            try SettingsLoader.mustKeepFile(new, of: settings)
            try Self.mustStart(new)
            let change = try SettingsChange.consistent(from: settings, to: new, mistakes: \.mistakes)
            // This comes before the files are read: a later change is then named by the next reload.
            let now = SettingFiles.all(of: change.settings)
            let secretFilesNow = SettingFiles.secrets(of: change.settings)
            let rules = try OriginRules(change.settings)
            await root.formerRules.note(rules)
            try await root.take(change.settings)
            logRules.replace(with: change.settings)
            settings = change.settings
            let changed = change.keys(withFiles: now.keys(changedSince: files))
            (files, secretFiles) = (now, secretFilesNow)
            await root.formerRules.doubt(by: rules, in: root.pipeline)
            tell(of: change, changed)
            return .success(ReloadReport(change, changed))
        } catch {
            let mistakes =
                (error as? SettingsLoader.Mistakes)?.list ?? (error as? UnusableSetting)?.mistakes
                ?? ["\(error)"]
            let shown = ShownMistakes(mistakes, besides: settings)
            root.recorder.metrics.reloadFailures.add()
            logger.error(
                "settings not reloaded: those in force stay",
                metadata: ["mistakes": .stringConvertible(shown)])
            return .failure(.mistakes(shown.list))
        }
    }

    /// Checks the settings as a start would, including those that a reload does not apply: a setting that waits for the next
    /// start must not prevent that start.
    static func mustStart(
        _ settings: Settings, fonts: [String] = InstalledFonts.folders
    ) throws(UnusableSetting) {
        try settings.mustBeUsable()
        try InstalledFonts.check(settings, in: fonts)
        do throws(UnusableSetting) {
            _ = try settings.adminSecret
            _ = try settings.signatureRule
        } catch {
            throw UnusableSetting(error.mistakes.map(settings.places.placed))
        }
        try OpenFiles(settings).check()
    }

    /// - Parameter changed: keys of the settings of which the value or the file has changed.
    private func tell(of change: SettingsChange, _ changed: [String]) {
        logger.notice(
            "settings reloaded",
            metadata: ["changed": "\(changed.isEmpty ? "nothing" : changed.joined(separator: " "))"])
        if !change.atRestart.isEmpty {
            logger.warning(
                "some settings change at the next start only",
                metadata: ["settings": "\(change.atRestart.map(\.words).joined(separator: "; "))"])
        }
        if change.live.contains("origin.maximum-fetches") {
            OpenFiles(settings).warn(to: logger)
        }
        if change.live.contains("origin.allow-private") || change.live.contains("origin.allow-networks"),
            settings.completesNames != completesNames
        {
            logger.warning(
                completesNames
                    ? "until the next start the search list of resolv.conf completes names: a stranger's URL may name machines inside by it"
                    : "the search list of resolv.conf completes no names before the next start")
        }
        let room = root.adapters.disk.held.disk.limit / 2
        if change.live.contains("origin.maximum-body"), settings.origin.maximumBody.bytes > room {
            logger.warning(
                "origin.maximum-body is more than half of cache.held-disk, which grows at the next start: larger originals are answered 503 until then",
                metadata: ["most": "\(ByteCount(room).settingText)"])
        }
        for remark in (try? settings.remarks) ?? [] { logger.warning("\(remark)") }
    }
}

extension SettingsChange.Waiting {
    fileprivate var words: String { "\(key): \(reason.rawValue)" }
}

extension ReloadReport {
    fileprivate init(_ change: SettingsChange, _ changed: [String]) {
        self.init(
            changed: changed, needsRestart: change.atRestart.map(\.key),
            reasons: Dictionary(change.atRestart.map { ($0.key, $0.reason.rawValue) }) { first, _ in first })
    }
}
