// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Foundation
import Monitoring
internal import Operator
internal import Pipeline
internal import RequestGrammar
import Settings

struct Render: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make pictures from files, as the daemon would, but without a daemon.",
        discussion: """
            Decoders work in the same jail and under the same limits as the daemon's. A folder is walked, and its tree made \
            again in the output folder; links and hidden files in it are left alone. The ending of a name follows the \
            picture's format. A failure is told with its code, and the rest goes on.

            A file named - is standard input, and the output - is standard output, which gets the picture and nothing else; what is \
            told goes to standard error then. A picture is not written to a terminal.

            Examples:
              pictor render photo.jpg -o small.webp --query 'w=300&output=webp'
              pictor render pictures -o thumbnails --query 'w=200&h=200&fit=cover' --jobs 4
              pictor render a.png b.png -o out --force --json
              cat photo.jpg | pictor render - --query 'w=300&output=webp' -o - > small.webp

            The exit status is 0 if every picture was made, 1 if some failed, 64 for a wrong command line or option, and 78 \
            for mistakes in the settings.
            """)

    @Option(help: .settingsFile(for: "limits, presets, watermarks and the encoders' defaults"))
    var config: String?

    @Option(
        name: .shortAndLong,
        help:
            "The output folder, or for a single file the picture's file, whose ending chooses the format where --query does not; - for standard output."
    )
    var output: String

    @Option(help: "Options as in the URL, joined by &, and escaped as there.") var query = ""

    @Option(help: "Files at a time; default: decoder.processes.") var jobs: Int?

    @Flag(help: "Overwrite existing files.") var force = false
    @Flag(help: "Print a JSON object for each file, for programs.") var json = false

    @Argument(help: "Files and folders; - for standard input.") var files: [String]

    func validate() throws {
        if files.isEmpty { throw ValidationError("Name a file or a folder.") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is 1 to 256.") }
        if output.isEmpty { throw ValidationError("--output is empty.") }
    }

    func run() async throws {
        if let mistake = mistakeOfStreams { throw wrongArgument(mistake) }
        // The walk leaves the output folder out, so it would find nothing to render.
        if let folder = files.first(where: { RenderInput.isFolder($0) && RenderInput.areSame($0, output) }) {
            throw wrongArgument("--output: \"\(folder)\" is read; name another folder for the pictures.")
        }
        // The command needs no secret, but settings that require a key count as wrong without it.
        SettingsArguments.adoptSecrets(config)
        let settings = try SettingsArguments.load(config, flags: []) { settings throws(UnusableSetting) in
            var settings = settings
            if let jobs { settings.decoder.processes = jobs }
            return settings
        }
        let order: ImageRequest
        let ending = isSingle ? OutputEnding(of: URL(filePath: output).lastPathComponent) : nil
        do { order = try RenderService.order(query, ending: ending, settings) } catch {
            throw wrongArgument("\(error)")
        }
        // Read first, so that no processes wait for whoever writes.
        let input =
            files.contains(StandardStreams.name)
            ? StandardStreams.Input(atMost: settings.origin.maximumBody.bytes) : nil
        let engine = try await start(settings)
        let failures = await render(by: order, engine, input)
        await engine.shutDown()
        if try failures.get() > 0 { throw ExitCode.failure }
    }

    private func start(_ settings: Settings) async throws -> OfflineEngine {
        do {
            return try await OfflineEngine.start(settings)
        } catch let mistake as UnusableSetting {
            throw SettingsArguments.refuse(mistake.mistakes)
        } catch let failure as StartupFailure where failure.isLasting {
            throw SettingsArguments.refuse([settings.places.placed(failure.description)])
        }
    }

    /// True if the output names one file: there is a single input file, and the output neither is a folder nor ends with a slash.
    private var isSingle: Bool {
        files.count == 1 && !RenderInput.isFolder(files[0]) && !output.hasSuffix("/")
            && !RenderInput.isFolder(output)
    }

    private var isToStandardOutput: Bool { output == StandardStreams.name }

    /// What is wrong with `-` among the files or as the output; nil if nothing is.
    private var mistakeOfStreams: String? {
        if isToStandardOutput {
            guard isSingle else { return "--output: standard output takes the picture of one file." }
            guard !StandardStreams.isOutputTerminal else {
                return "--output: a picture is not written to a terminal; redirect standard output."
            }
        } else if files.contains(StandardStreams.name), !isSingle {
            return
                "--output: standard input has no name for a picture in a folder; name the picture's file, or - for standard output."
        }
        return nil
    }

    /// Opens the place of the pictures.
    private func place() throws -> RenderOutput {
        if isToStandardOutput { return .standard }
        guard isSingle else { return .folder(try OutputFolder(output, overwrites: force)) }
        let place = URL(filePath: output)
        let folder = try OutputFolder(place.deletingLastPathComponent().path, overwrites: force)
        return .file(folder, name: place.lastPathComponent)
    }

    /// Renders all files. Returns the number of failures.
    private func render(
        by order: ImageRequest, _ engine: OfflineEngine, _ input: StandardStreams.Input?
    ) async -> Result<Int, CommandFailure> {
        let place: RenderOutput
        do { place = try self.place() } catch {
            return .failure(CommandFailure("--output: \(error)"))
        }
        let listing = RenderInput.list(files, without: isSingle ? "" : output)
        let service = RenderService(into: place, standardInput: input) {
            (file, length) throws(PipelineFailure) in
            try await engine.render(file, length: length, by: order)
        }
        var progress = RenderProgress(
            of: listing.inputs.count + listing.unreadable.count, besidesPicture: isToStandardOutput)
        for path in listing.unreadable { progress.tell(.unreadable(folder: path), asJSON: json) }
        await service.run(listing.inputs, jobs: engine.jobs) { progress.tell($0, asJSON: json) }
        progress.finish(links: listing.links)
        return .success(progress.failed)
    }
}
