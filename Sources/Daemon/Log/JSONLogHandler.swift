// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging

/// One JSON object a line on standard error, for machines that read logs.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    let label: String

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var members: [(String, JSONText.Value)] = [
            ("time", .text(Date.now.formatted(.iso8601))), ("level", .text(event.level.rawValue)),
            ("label", .text(label)), ("message", .text(event.message.description)),
        ]
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        members += all.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value.description)) }
        if let error = event.error { members.append(("error", .text("\(error)"))) }
        // One write a line: lines of several threads do not mix (a pipe takes up to 4 KiB at once, pipe(7)).
        FileHandle.standardError.write(Data((JSONText.object(members) + "\n").utf8))
    }

    /// Sends the log of the whole process where the settings say. Once a process.
    static func bootstrap(_ settings: Settings.Log) {
        LoggingSystem.bootstrap { label in
            switch settings.format {
            case .json:
                return JSONLogHandler(logLevel: settings.level, label: label)
            case .text:
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = settings.level
                return handler
            }
        }
    }
}
