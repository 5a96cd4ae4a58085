// SPDX-License-Identifier: Apache-2.0

/// Limits of one request: each bounds the memory or the time that one client can take.
package struct ParserLimits: Sendable, Hashable {
    /// Bytes of the head, from the first byte of the request line to the empty line's LF; at most 65,535, because
    /// offsets are kept in 16 bits. Beyond: 431.
    ///
    /// Sketch: the longest target below, a 4 KiB cookie jar (RFC 6265 §6.1), and 4 KiB of everything else. 1,000 clients
    /// in the middle of a head hold 16 MiB at most.
    package var headBytes = 16_384

    /// Bytes of the request target. Beyond: 414.
    ///
    /// Sketch: a source URL of 2,048 bytes with every byte percent-encoded is 6,144, and the options fit beside it.
    /// RFC 9112 §3 asks for 8,000 at least.
    package var targetBytes = 8_192

    /// Bytes of the method. Beyond: 501 (RFC 9112 §3). The longest registered method has 17 (UPDATEREDIRECTREF).
    package var methodBytes = 24

    /// Field lines. Beyond: 431. A browser behind a CDN sends about 40.
    package var fields = 100

    /// Bytes of content after the chunked coding is removed. Beyond: 413.
    ///
    /// Sketch: the largest useful body is a list of some hundred URLs.
    package var bodyBytes = 65_536

    /// Bytes of a chunked body that are not content: size lines, extensions and trailers. Beyond: 413.
    ///
    /// Sketch: 64 KiB in chunks of 32 bytes cost 12 KiB of framing; no honest client sends smaller chunks.
    package var chunkOverheadBytes = 16_384

    /// Every limit at its default.
    package init() {}
}
