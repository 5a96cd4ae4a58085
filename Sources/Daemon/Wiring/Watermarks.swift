// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Glibc
internal import Hashing
internal import Kernel
internal import Pipeline
internal import Platform
internal import Recipes
internal import RequestGrammar
internal import Settings
internal import SourceURLs

extension Settings {
    /// Bytes of the largest watermark file; all of them are held in memory.
    private static let largestWatermark = 16 << 20

    /// A watermark as the settings give it.
    enum GivenWatermark {
        case remote(SourceURL)
        case file(ImmutableBytes, path: String)
    }

    /// The watermarks by name. An inspector checks those in files.
    /// - Throws: the first mistake.
    func watermarks(
        inspectedBy inspectors: InspectorPool
    ) async throws(UnusableSetting) -> [String: NamedWatermark<Body>] {
        var watermarks: [String: NamedWatermark<Body>] = [:]
        for (name, given) in try givenWatermarks {
            switch given {
            case .remote(let url): watermarks[name] = .remote(url)
            case .file(let bytes, let path):
                watermarks[name] = .held(try await Self.held(bytes, path, inspectors))
            }
        }
        return watermarks
    }

    private static func held(
        _ bytes: ImmutableBytes, _ path: String, _ inspectors: InspectorPool
    ) async throws(UnusableSetting) -> HeldWatermark<Body> {
        do throws(DecodeFailure) {
            let header = try await inspectors.header(of: .bytes(bytes))
            return HeldWatermark(
                digest: OriginalDigest(SHA256.digest(of: bytes.buffer)), header: header, body: .bytes(bytes),
                since: SystemEnvironment.now())
        } catch {
            throw unusable(
                error.row.own == nil
                    ? "\(path) is no picture in a format that is known here"
                    : "\(path) could not be looked at")
        }
    }

    /// The watermarks by name. Files are read now.
    /// - Throws: the first mistake.
    var givenWatermarks: [String: GivenWatermark] {
        get throws(UnusableSetting) {
            var watermarks: [String: GivenWatermark] = [:]
            for (name, place) in try watermarkPlaces {
                watermarks[name] =
                    place.hasPrefix("/") && !place.hasPrefix("//")
                    ? .file(try Self.file(place), path: place) : .remote(try Self.url(place))
            }
            return watermarks
        }
    }

    private static func unusable(_ words: String) -> UnusableSetting {
        UnusableSetting(description: "options.watermarks: \(words)")
    }

    private static func url(_ text: String) throws(UnusableSetting) -> SourceURL {
        do throws(SourceURLError) { return try SourceURL.parse(text) } catch {
            throw unusable("\"\(text)\": \(error.message)")
        }
    }

    private static func file(_ path: String) throws(UnusableSetting) -> ImmutableBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unusable("\(path) cannot be opened") }
        let file = OwnedDescriptor(adopting: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, (1...largestWatermark).contains(Int(status.st_size)),
            let bytes = file.bytes(count: Int(status.st_size))
        else { throw unusable("\(path) cannot be read, or is larger than \(largestWatermark) bytes") }
        return bytes
    }
}
