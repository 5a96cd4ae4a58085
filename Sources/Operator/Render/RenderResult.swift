// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import JSON
package import Pipeline

/// The result for one file.
package struct RenderResult: Sendable {
    /// Either a picture at a path below the output folder, or a failure.
    package enum Outcome: Sendable {
        case made(Rendition, String)
        case failed(code: String, message: String)
    }

    package let input: RenderInput
    package let outcome: Outcome

    static func failure(_ input: RenderInput, _ code: String, _ message: String) -> RenderResult {
        RenderResult(input: input, outcome: .failed(code: code, message: message))
    }

    /// The result for a folder that cannot be walked.
    package static func unreadable(folder path: String) -> RenderResult {
        failure(
            RenderInput(path: path, name: path), "unreadable",
            "The folder cannot be read, or lies in too many others.")
    }

    /// True if there is no picture.
    package var isFailure: Bool { if case .failed = outcome { true } else { false } }

    /// One line for people. Paths are quoted, because a name may contain any character.
    package var line: String {
        switch outcome {
        case .made(let made, let path):
            "\(JSONText.quoted(input.path)) -> \(JSONText.quoted(path)), \(made.format.name) \(made.width)x\(made.height), \(made.length) bytes"
        case .failed(let code, let message): "\(JSONText.quoted(input.path)): \(code): \(message)"
        }
    }

    /// One JSON object on one line.
    package var json: String {
        switch outcome {
        case .made(let made, let path):
            JSONText.object([
                ("file", .text(input.path)), ("output", .text(path)), ("format", .text(made.format.name)),
                ("width", .number(made.width)), ("height", .number(made.height)),
                ("pages", .number(made.pages)), ("bytes", .number(made.length)),
            ])
        case .failed(let code, let message):
            JSONText.object([
                ("file", .text(input.path)), ("error", .text(code)), ("message", .text(message)),
            ])
        }
    }
}
