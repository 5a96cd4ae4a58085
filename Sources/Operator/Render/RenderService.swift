// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import CLinux
internal import Dialects
internal import Glibc
internal import ImageHeaders
package import Kernel
package import Pipeline
internal import Recipes
package import RequestGrammar
package import Settings

/// Renders files, several at a time; a failure affects only its own file.
package struct RenderService: Sendable {
    /// Renders the picture in a file's first `length` bytes.
    package typealias Engine =
        @Sendable (_ file: OwnedDescriptor, _ length: Int) async throws(PipelineFailure) -> (
            rendition: Rendition, body: Body
        )

    private let output: RenderOutput
    private let standardInput: StandardStreams.Input?
    private let engine: Engine

    /// - Parameter standardInput: the input that is named `-`; nil if none is.
    package init(
        into output: RenderOutput, standardInput: StandardStreams.Input?, engine: @escaping Engine
    ) {
        self.output = output
        self.standardInput = standardInput
        self.engine = engine
    }

    /// What is wrong with an option of the command.
    package struct WrongOption: Error, CustomStringConvertible {
        package let description: String

        fileprivate static func query(_ failure: URLService.Failure) -> WrongOption {
            WrongOption(description: "--query: \(failure)")
        }

        fileprivate static func output(_ words: String) -> WrongOption {
            WrongOption(description: "--output: \(words)")
        }
    }

    /// Reads options as in the query of `/img`, without `url`.
    /// - Parameter ending: the ending of the only picture's name, which chooses the format if no option does.
    /// - Throws: the endpoint's refusal; also for `output=json`, which is not a picture, and for an ending that would be wrong.
    package static func order(
        _ query: String, ending: OutputEnding? = nil, _ settings: Settings
    ) throws(WrongOption) -> ImageRequest {
        let vocabulary: Vocabulary
        do throws(URLService.Failure) { try URLService.mustNameNoSource(query) } catch {
            throw .query(error)
        }
        do throws(UnusableSetting) { vocabulary = try Dialects(settings).vocabulary } catch {
            throw .query(.init("bad_setting", error.description))
        }
        let source = "url=http%3A%2F%2Ffiles.pictor.invalid%2F"
        let asked = query.isEmpty ? source : "\(source)&\(query)"
        let order: ImageRequest
        do throws(RequestError) {
            order = try ImageRequest.parse(query: asked, vocabulary: vocabulary)
            guard order.recipe.output.isMade else {
                throw RequestError.invalidValue(parameter: "output", allowed: "a format of pictures")
            }
        } catch {
            throw .query(.init(ErrorResponse(error)))
        }
        guard let ending else { return order }
        return try completed(order, by: ending, asked, vocabulary)
    }

    /// The order as the ending of the picture's name completes it.
    /// - Parameter query: the query that the order was read from.
    private static func completed(
        _ order: ImageRequest, by ending: OutputEnding, _ query: String, _ vocabulary: Vocabulary
    ) throws(WrongOption) -> ImageRequest {
        switch order.recipe.output {
        case .format(let format):
            if let meant = ending.format, meant != format {
                throw .output(
                    "the ending .\(ending.text) means \(meant.name), but --query asks for \(format.name)")
            }
            return order
        case .source:
            if let named = try? ImageRequest.parse(
                query: "\(query)&output=\(ending.text)", vocabulary: vocabulary),
                case .format = named.recipe.output
            {
                return named
            }
            if ending.format == .svg, order.recipe.keepsDrawing { return order }
            throw .output(
                "the ending .\(ending.text) names no format that can be written; name one of "
                    + ImageFormat.writable.map(\.fileExtension).joined(separator: ", ")
                    + ", or let --query name the format by output=")
        case .auto, .json, .raw: return order
        }
    }

    /// Renders all inputs, `jobs` at a time, and calls `told` after each.
    package func run(
        _ inputs: [RenderInput], jobs: Int, told: (RenderResult) -> Void
    ) async {
        await withTaskGroup(of: RenderResult.self) { group in
            var rest = inputs[...]
            for _ in 0..<max(1, jobs) {
                guard let input = rest.popFirst() else { break }
                group.addTask { await render(input) }
            }
            while let result = await group.next() {
                told(result)
                if let input = rest.popFirst() { group.addTask { await render(input) } }
            }
        }
    }

    private func render(_ input: RenderInput) async -> RenderResult {
        let file: OwnedDescriptor
        let length: Int
        do throws(SystemError) { (file, length) = try open(input) } catch {
            return .failure(input, "unreadable", "The file cannot be read: \(error).")
        }
        do throws(PipelineFailure) {
            let (rendition, body) = try await engine(file, length)
            if let ending = output.ending, let meant = ending.format, meant != rendition.format {
                return .failure(
                    input, "output_format",
                    "The picture is \(rendition.format.name), but the ending .\(ending.text) means \(meant.name)."
                )
            }
            do throws(OutputFolder.Failure) {
                let path = try output.write(body, as: rendition.format, of: input)
                return RenderResult(input: input, outcome: .made(rendition, path))
            } catch {
                return .failure(input, error.code, error.description)
            }
        } catch {
            let words = ErrorResponse(error)
            return .failure(input, words.code, words.message)
        }
    }

    private func open(_ input: RenderInput) throws(SystemError) -> (OwnedDescriptor, length: Int) {
        if input.isStandard, let standardInput { return try standardInput.open() }
        return try Self.open(input.path)
    }

    /// Opens a regular file. Does not wait for the other end of a named pipe.
    private static func open(_ path: String) throws(SystemError) -> (OwnedDescriptor, length: Int) {
        let raw = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard raw >= 0 else { throw .last("open") }
        let file = OwnedDescriptor(adopting: raw)
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("not a regular file", code: EINVAL)
        }
        return (file, Int(status.st_size))
    }
}
