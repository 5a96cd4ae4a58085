// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Platform
internal import Recipes
internal import SourceURLs
internal import Web

/// Answers for the host of the sample pictures from memory, and passes every other request on. So the pipeline treats samples
/// like any other original, and the rules about addresses need no exception, because the samples' host has no address and nothing
/// is dialled.
struct SampleOrigin<Next: OriginPort<Body>>: OriginPort {
    /// Seconds for which samples are fresh: they only change with the executable.
    private static var lifetime: Int { 86_400 }

    let next: Next

    /// The samples are part of the executable, so lists of hosts do not apply to them.
    func permits(_ source: SourceURL) -> Bool { Self.isOwn(source) || next.permits(source) }

    func keyed(_ source: SourceURL) -> SourceURL { next.keyed(source) }

    func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields {
        next.sentFields(to: source, isRedirected: isRedirected, by: fields)
    }

    func giveWay(to waiting: Int) { next.giveWay(to: waiting) }

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body> {
        guard Self.isOwn(request.source) else { return try await next.fetch(request) }
        let now = SystemEnvironment.now()
        var fields = Fields()
        guard let sample = Sample.at(request.source.target) else {
            return OriginReply(
                payload: .refused(status: 404), fields: fields, by: Transit(at: now))
        }
        let digest = SHA256.digest(of: sample.bytes.buffer)
        let tag = EntityTag(opaque: digest.hex).description
        fields.append("Content-Type", sample.mediaType)
        fields.append("Cache-Control", "public, max-age=\(Self.lifetime)")
        fields.append("ETag", tag)
        fields.append("Content-Length", "\(sample.bytes.count)")
        if request.validators.entityTag == tag {
            return OriginReply(
                payload: .notModified, fields: fields, by: Transit(at: now))
        }
        do throws(SystemError) {
            let file = try MemoryFile.descriptor(of: .bytes(sample.bytes))
            return OriginReply(
                payload: .complete(
                    body: .file(file, length: sample.bytes.count), length: sample.bytes.count,
                    digest: OriginalDigest(digest)),
                fields: fields, by: Transit(at: now))
        } catch {
            throw FailedExchange(.unavailable)
        }
    }

    private static func isOwn(_ source: SourceURL) -> Bool { source.host == Sample.host }
}
