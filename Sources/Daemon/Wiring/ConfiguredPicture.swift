// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Dialects
internal import Glibc
internal import Hashing
internal import ImageHeaders
internal import Kernel
internal import Pipeline
internal import Platform
internal import Recipes
internal import Settings
internal import SourceURLs

/// A picture that the settings name: its URL, or the bytes of its file.
enum ConfiguredPicture {
    case remote(SourceURL)
    case file(ImmutableBytes, path: String)

    /// The largest file in bytes; all such files are held in memory.
    private static let largestFile = 16 << 20

    /// - Parameters:
    ///   - place: a URL, or the absolute path of a file, which is read now.
    ///   - key: the setting's name, for the error.
    ///   - names: the names that the URL may use, or the mistake in them.
    init(
        _ place: String, _ key: String, _ names: Result<SourceNames, UnusableSetting>
    ) throws(UnusableSetting) {
        if place.hasPrefix("/"), !place.hasPrefix("//") {
            self = .file(try Self.file(place, key), path: place)
        } else {
            self = .remote(try Self.url(place, key, names))
        }
    }

    /// The picture as the pipeline takes it. An inspector checks the bytes of a file.
    func named(
        _ key: String, inspectedBy inspectors: InspectorPool
    ) async throws(UnusableSetting) -> NamedPicture<Body> {
        switch self {
        case .remote(let url): return .remote(url)
        case .file(let bytes, let path):
            do throws(DecodeFailure) {
                let header = try await inspectors.header(of: .bytes(bytes))
                guard header.isDecodable else { throw .codingNotRead(header.format) }
                return .held(
                    HeldPicture(
                        digest: OriginalDigest(SHA256.digest(of: bytes.buffer)), length: bytes.count,
                        header: header, body: .bytes(bytes), since: SystemEnvironment.now()))
            } catch {
                throw Self.unusable(key, "\(path) \(Self.words(error))")
            }
        }
    }

    private static func words(_ failure: DecodeFailure) -> String {
        if case .codingNotRead(let format) = failure {
            return "is of type \(format.mediaType) in a coding that is not read"
        }
        return failure.row.own == nil
            ? "is no picture in a format that is known here" : "could not be looked at"
    }

    private static func unusable(_ key: String, _ words: String) -> UnusableSetting {
        UnusableSetting(description: "\(key): \(words)")
    }

    private static func url(
        _ text: String, _ key: String, _ names: Result<SourceNames, UnusableSetting>
    ) throws(UnusableSetting) -> SourceURL {
        func told(_ read: () throws(SourceURLError) -> SourceURL) throws(UnusableSetting) -> SourceURL {
            do throws(SourceURLError) { return try read() } catch {
                throw unusable(key, "\"\(text)\": \(error.message)")
            }
        }
        let url = try told { () throws(SourceURLError) in try SourceURL.parse(text) }
        // This check comes last, so that a mistake in an alias does not hide a mistake in a URL.
        let names = try names.get()
        guard names.isAlias(url) || !isRelativePath(text, url) else {
            throw unusable(
                key,
                "\"\(text)\" is neither a URL with its scheme, as https://host/a.png, nor the whole path of a file, as /srv/a.png"
            )
        }
        return try told { () throws(SourceURLError) in try names.original(of: url) }
    }

    /// True for texts such as `a.png` and `pictures/a.png`, which as URLs without a scheme would name hosts.
    private static func isRelativePath(_ text: String, _ url: SourceURL) -> Bool {
        !text.contains(":") && !text.hasPrefix("//") && (!text.contains("/") || !url.host.contains("."))
    }

    /// Reads a regular file. A named pipe would make this reload, and all that wait for it, wait for the pipe's other end.
    private static func file(_ path: String, _ key: String) throws(UnusableSetting) -> ImmutableBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let code = errno
        guard descriptor >= 0 else {
            throw unusable(key, "\(path) cannot be opened: \(String(cString: strerror(code)))")
        }
        let file = OwnedDescriptor(adopting: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unusable(key, "\(path) cannot be read: it is not a regular file")
        }
        guard (1...largestFile).contains(Int(status.st_size)),
            let bytes = file.bytes(count: Int(status.st_size))
        else { throw unusable(key, "\(path) cannot be read, or is larger than \(largestFile) bytes") }
        return bytes
    }
}
