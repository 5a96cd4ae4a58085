// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Kernel

/// A static file of a page, ready to be sent: uncompressed and as gzip, each with a strong entity tag of its own.
struct WebPage: Sendable {
    private let type: String
    private let plain: Variant
    /// The file as gzip; nil if that is no shorter.
    private let packed: Variant?

    private struct Variant: Sendable {
        let bytes: ImmutableBytes
        let tag: EntityTag

        init(_ bytes: ImmutableBytes) {
            self.bytes = bytes
            tag = EntityTag(opaque: String(SHA256.digest(of: bytes.buffer).hex.prefix(32)))
        }
    }

    /// The media type follows from the extension of `name`.
    init(name: String, bytes: ImmutableBytes) {
        let (type, isText) = MediaType.of(name)
        self.type = type
        plain = Variant(bytes)
        guard isText, let packed = GzipText.pack(bytes.buffer), packed.count < bytes.count else {
            self.packed = nil
            return
        }
        self.packed = Variant(ImmutableBytes(packed))
    }

    /// The answer to a GET or HEAD: 200, 304 or 412.
    func response(to request: Request) -> Response {
        let isPacked = packed != nil && AcceptedCoding.allowsGzip(request.fields.combined("Accept-Encoding"))
        let variant = isPacked ? packed ?? plain : plain
        var fields = Fields()
        fields.append("ETag", variant.tag.description)
        // A browser revalidates each time, so that it sees a new version at once; usually the answer is 304.
        fields.append("Cache-Control", "no-cache")
        if packed != nil { fields.append("Vary", "Accept-Encoding") }
        let conditions = Preconditions(request.fields)
        switch conditions.evaluate(tag: variant.tag, lastModified: nil, now: Timestamp(seconds: 0)) {
        case .notModified: return Response(status: 304, fields: fields)
        case .failed: return Response(status: 412, fields: fields)
        case .proceed: break
        }
        fields.append("Content-Type", type)
        if isPacked { fields.append("Content-Encoding", "gzip") }
        PageSecurity.append(to: &fields)
        return Response(status: 200, fields: fields, body: .bytes(variant.bytes))
    }
}
