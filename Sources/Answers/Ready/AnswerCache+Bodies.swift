// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
package import Kernel
internal import Stores

/// The bodies that may be held, and that may be sent.
extension AnswerCache {
    /// The body to hold: the bytes to send if the memory store would take them, else the rendition's bytes,
    /// else the file. Nil if the file is in no budget, or has changed.
    func held(_ presentation: Presentation) -> (body: Body, text: Base64Text?)? {
        let largest = memory.largestEntry - Self.room
        let (body, text) = (presentation.body, presentation.text)
        var bytes: ImmutableBytes?
        if let text, text.count <= largest {
            guard let whole = try? text.bytes() else { return nil }
            bytes = whole
        }
        guard case .file(let file, let length) = body else {
            return bytes.map { (.bytes($0), nil) } ?? (body, text)
        }
        if let bytes { return file.isAltered ? nil : (.bytes(bytes), nil) }
        if length <= largest {
            guard let bytes = file.bytes(count: length), !file.isAltered else { return nil }
            return (.bytes(bytes), text.map { Base64Text(prefix: $0.prefix, of: .bytes(bytes)) })
        }
        return file.state == nil ? nil : (body, text)
    }

    /// A body that is safe to send: a small one copied to memory, otherwise its file. Nil if the file has
    /// changed since its store verified it, or cannot be read.
    package func intact(_ body: Body) -> Body? {
        guard case .file(let file, let length) = body else { return body }
        // Large bodies stay files, because each slow reader would hold a copy outside of any budget. So do bodies that are too large
        // for the memory store.
        guard length <= longestCopy else { return file.isAltered ? nil : body }
        guard let bytes = file.bytes(count: length), !file.isAltered else { return nil }
        return .bytes(bytes)
    }

    /// Bytes of a body that is copied to memory before it is sent.
    package var longestCopy: Int { min(Self.smallBody, memory.largestEntry - Self.room) }

    /// Bytes; a connection's buffer for its request is as large.
    private static let smallBody = 16 << 10

    /// Bytes reserved for an entry's heads and target; a target has at most 64 KiB.
    private static let room = 72 << 10
}
