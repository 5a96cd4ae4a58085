// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSON
internal import Kernel
package import Logging
package import Settings
internal import Telemetry

/// A swift-log handler that writes one line per event: plain text for people, or JSON for machines. For the journal, a line has a
/// priority, and text has no time, because the journal records it.
package struct LineLogHandler: LogHandler {
    /// The lowest level that is written: the process's, unless this logger has one of its own.
    package var logLevel: Logger.Level {
        get { ownLevel ?? rules.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let rules: LogRules
    /// Metadata for every line of this logger.
    package var metadata = Logger.Metadata()
    package let label: String
    let stream: LogStream
    private let isJournal: Bool
    /// Adds metadata of the task that logs.
    package var metadataProvider: Logger.MetadataProvider?

    /// Makes a handler that applies the rules as they change.
    /// - Parameter isJournal: true if the stream leads to systemd's journal.
    package init(label: String, rules: LogRules, stream: LogStream, isJournal: Bool = false) {
        self.label = label
        self.rules = rules
        self.stream = stream
        self.isJournal = isJournal
    }

    /// One value of `metadata`.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Appends the event's line to the stream; never blocks.
    package func log(event: LogEvent) {
        let form = rules.form
        let secrets = form.secrets
        var members = (metadataProvider?.get() ?? [:]).merging(metadata) { $1 }
            .merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            .map { ($0.key, Self.shown($0.value, hiding: secrets)) }
        if let error = event.error { members.append(("error", secrets.redacted("\(error)"))) }
        let time = Date.now.formatted(.iso8601)
        let line =
            switch form.format {
            case .json: json(event, time, members)
            case .logfmt: logfmt(event, time, members)
            case .text: text(event, time, members)
            }
        let priority = isJournal ? "<\(JournalStream.priority(of: event.level))>" : ""
        stream.append { $0 += (priority + line + "\n").utf8 }
    }

    private static func shown(_ value: Logger.MetadataValue, hiding secrets: SecretParameters) -> String {
        guard case .stringConvertible(let text) = value else { return secrets.redacted(value.description) }
        if let mistakes = text as? ShownMistakes { return mistakes.description }
        if let parts = text as? TextParts { return parts.list.map { secrets.redacted($0) }.joined() }
        return secrets.redacted(text.description)
    }

    private func json(_ event: LogEvent, _ time: String, _ members: [(String, String)]) -> String {
        let usual = [
            ("time", time), ("level", event.level.rawValue), ("label", label),
            ("message", event.message.description),
        ]
        return JSONText.object((usual + members).map { ($0, .text($1)) })
    }

    private func logfmt(_ event: LogEvent, _ time: String, _ members: [(String, String)]) -> String {
        let usual = [
            ("level", event.level.rawValue), ("label", label), ("message", event.message.description),
        ]
        let all = (isJournal ? [] : [("time", time)]) + usual + members
        return all.map { "\($0)=\(Self.isPlain($1) ? $1 : JSONText.quoted($1))" }.joined(separator: " ")
    }

    /// True if the value needs no quotation marks in logfmt.
    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    }

    /// A line in the format of swift-log's own stream handler, with control characters made visible.
    private func text(_ event: LogEvent, _ time: String, _ members: [(String, String)]) -> String {
        let pairs = members.map { " \($0)=\($1)" }.joined()
        let start = isJournal ? "" : "\(time) "
        return LogText.visible("\(start)\(event.level) \(label):\(pairs) [\(event.source)] \(event.message)")
    }

    /// Sends the log of the whole process to standard error. Must be called once; the caller closes the stream at the end.
    /// - Throws: if the writing thread cannot be started.
    package static func bootstrap(_ settings: Settings.Log, rules: LogRules) throws -> LogStream {
        let stream = try LogStream.standardError(settings)
        let isJournal = JournalStream.isStandardError
        LoggingSystem.bootstrap(
            { label, provider in
                var handler = LineLogHandler(
                    label: label, rules: rules, stream: stream, isJournal: isJournal)
                handler.metadataProvider = provider
                return handler
            },
            metadataProvider: Logger.MetadataProvider {
                CurrentRequest.id.map { ["request": "\($0)"] } ?? [:]
            })
        return stream
    }
}

extension LogStream {
    fileprivate static func standardError(_ settings: Settings.Log) throws -> LogStream {
        try LogStream(descriptor: STDERR_FILENO, name: "log", limit: settings.queue.bytes) { dropped in
            Logger(label: "pictor").warning(
                "lines of the log were dropped: nobody took them", metadata: ["lines": "\(dropped)"])
        }
    }

    /// The stream of the access log. Lines wait for 100 ms at most, so that many leave in one write.
    /// - Throws: if the writing thread cannot be started.
    package static func standardOutput(_ settings: Settings.Log, logger: Logger) throws -> LogStream {
        try LogStream(
            descriptor: STDOUT_FILENO, name: "access-log", limit: settings.queue.bytes, gathering: 100
        ) { dropped in
            logger.warning(
                "lines of the access log were dropped: nobody took them", metadata: ["lines": "\(dropped)"])
        }
    }
}
