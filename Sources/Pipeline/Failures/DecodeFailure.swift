// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
package import ImageHeaders
package import Recipes
internal import Traces

/// Reasons why a picture could not be read or made. A new case needs its row and its example here, and a
/// place that throws it.
package enum DecodeFailure: Error, Sendable, Hashable {
    /// The bytes are in no known format.
    case notAnImage
    /// A known format that the settings exclude.
    case formatNotAllowed(ImageFormat)
    /// The format is allowed, but the picture's coding cannot be read.
    case codingNotRead(ImageFormat)
    /// A format that cannot be made here: the settings or the build exclude it, or it is SVG of a picture that is none.
    case outputNotAllowed(ImageFormat)
    /// An SVG that may not be passed on as SVG.
    case drawingRefused
    /// The header is damaged, or the decoder gave up or crashed on the bytes.
    case damaged
    case tooManyPixels(limit: Int)
    /// A limit that the URL itself sets: a number and what is counted.
    case beyondOwnLimit(String)
    case tooManyFrames(limit: Int)
    /// The frame or page asked for lies behind the last.
    case noSuchPage(pages: Int)
    /// The bytes needed for decoding, beyond the limit of all decoders together.
    case tooMuchMemory(needed: Int, limit: Int)
    /// The decoder got no more memory for this rendition, which needed more than its price and the allowance beside it.
    case outOfMemory
    /// The encoder gave up on this rendition, after a second try in another process.
    case encoderFailed
    /// The rendition is beyond a limit of its sides, its pixels or its bytes.
    case outputTooLarge(OutputLimit)
    /// The pixels of the result, or of what it is cut from, over all its frames, and the limit up to which unsigned requests may
    /// enlarge a picture.
    case enlargedTooFar(asked: Int, limit: Int)
    case timedOut
    case overloaded(retryAfter: Int)
    /// The machine failed: no process could be started, or no file made.
    case unavailable
    case cancelled
}

extension DecodeFailure: TabledFailure {
    /// All facts about the failure.
    package var row: FailureRow {
        switch self {
        case .notAnImage:
            FailureRow(
                status: 415, code: "not_an_image",
                message: "The source is not a picture in a format that is known here.",
                when: .picture("the source is not a picture in a known format"),
                memory: .known(.notAnImage, about: .rendition), held: .isSuperseded,
                weserv: Self.unsupported)
        case .formatNotAllowed(let format):
            FailureRow(
                status: 415, code: "format_not_allowed",
                message: "Pictures of type \(format.mediaType) are not read here (decoder.formats).",
                when: .picture("the format is not in `decoder.formats`"),
                memory: .known(.notAnImage, about: .rendition), held: .isSuperseded,
                weserv: Self.unsupported)
        case .codingNotRead(let format):
            FailureRow(
                status: 415, code: "coding_not_read",
                message: format == .jpeg
                    ? "JPEGs that are lossless, hierarchical, of 12 bits or of more than four components are not read."
                    : "Pictures of type \(format.mediaType) are not read in this coding.",
                when: .picture(
                    "the original is a JPEG that is lossless, hierarchical, of 12 bits or of more than four components, a BMP in a rare coding, a TIFF in JPEG 2000 or with rare kinds of samples, or a JPEG XL with several channels beside its colours"
                ),
                memory: .known(.notAnImage, about: .rendition), held: .isSuperseded,
                weserv: Self.unsupported)
        case .outputNotAllowed(let format):
            FailureRow(
                status: 415, code: "format_not_allowed",
                message: format == .svg
                    ? "The picture is no SVG, and none is made of it."
                    : "Pictures of type \(format.mediaType) are not written here (decoder.writes).",
                when: .picture("the format is not written, or an SVG is wanted of another picture"),
                memory: .never, held: .stays,
                weserv: Self.unsupported)
        case .drawingRefused:
            FailureRow(
                status: 422, code: "drawing_refused",
                message:
                    "The drawing is not passed on as SVG: it is damaged, declares entities, or has too many parts.",
                when: .picture(
                    "the drawing that was asked for as SVG is no XML, declares an entity, or has too many parts"
                ),
                memory: .known(.notAnImage, about: .rendition), held: .stays, weserv: Self.unreadable)
        case .damaged:
            FailureRow(
                status: 422, code: "damaged_image",
                message: "The picture is damaged and cannot be decoded.",
                when: .picture("the picture cannot be decoded"),
                memory: .known(.notAnImage, about: .content), held: .isSuperseded, weserv: Self.unreadable)
        case .tooManyPixels(let limit):
            FailureRow(
                status: 413, code: "too_many_pixels",
                message: "The picture has more than the limit of \(limit) pixels (decoder.maximum-pixels).",
                when: .picture("the original has more pixels than `decoder.maximum-pixels`"),
                memory: .known(.notAnImage, about: .rendition), held: .isSuperseded,
                weserv: .replaced(
                    404, "Input image exceeds pixel limit. Width x height should be less than \(limit)"))
        case .beyondOwnLimit(let limit):
            FailureRow(
                status: 413, code: "beyond_own_limit",
                message: "The picture is beyond the limit that its URL sets: \(limit).",
                when: .picture(
                    "the picture is beyond a limit that its URL sets (imgproxy's `max_src_resolution` and the like)"
                ),
                memory: .never, held: .stays, weserv: Self.unsupported)
        case .tooManyFrames(let limit):
            FailureRow(
                status: 413, code: "too_many_frames",
                message: "The picture has more than the limit of \(limit) frames (decoder.maximum-frames).",
                when: .picture("the animation has more frames than `decoder.maximum-frames`"), memory: .never,
                held: .stays,
                weserv: .replaced(
                    404,
                    "Input image exceeds the maximum number of pages. Number of pages should be less than \(limit)"
                ))
        case .noSuchPage(let pages):
            FailureRow(
                status: 400, code: "bad_parameter",
                message: "The parameter page is beyond the last of \(pages), counted from 0.",
                when: .picture("`page` is behind the last"),
                memory: .known(.notAnImage, about: .rendition), held: .stays,
                weserv: Self.unreadable)
        case .tooMuchMemory(let needed, let limit):
            FailureRow(
                status: 413, code: "too_much_memory",
                message:
                    "Making this picture would take about \(needed >> 20) MiB; the limit is \(limit >> 20) MiB.",
                when: .picture(
                    "decoding would take more memory than is available: [Memory](../operating/memory.md)"),
                memory: .never, held: .stays,
                weserv: .replaced(
                    404, "Input image exceeds memory limit. It should need less than \(limit) bytes"))
        case .outOfMemory:
            FailureRow(
                status: 413, code: "too_much_memory",
                message:
                    "Making this picture took more memory than a decoder may have. Another size or format may take less.",
                when: .picture("making it took more memory than a decoder may have"),
                memory: .known(.notAnImage, about: .rendition), held: .stays, weserv: Self.unreadable)
        case .encoderFailed:
            FailureRow(
                status: 500, code: "encoder_failed",
                message: "The encoder failed on this picture. Another size or format may succeed.",
                when: .picture("the encoder failed on the picture, after a second try; the log says why"),
                memory: .known(.notAnImage, about: .rendition), held: .stays, weserv: Self.unreadable)
        case .outputTooLarge(let limit):
            FailureRow(
                status: 413, code: "output_too_large",
                message: limit.message,
                when: .picture(
                    "the rendition has more bytes than `decoder.maximum-output`, longer sides than its format allows, or too many pixels; the message tells which"
                ),
                memory: .known(.notAnImage, about: .rendition), held: .stays,
                weserv: Self.tooLargeOutput(limit))
        case .enlargedTooFar(let asked, let limit):
            FailureRow(
                status: 413, code: "enlarged_too_far",
                message:
                    "The result, or what it is cut from, would have \(asked) pixels, all frames together. Ask for a smaller picture, or sign the URL: an unsigned one that is larger than its original may have \(limit) (limits.enlarged-pixels).",
                when: .picture(
                    "the result would be larger than the original, and have more pixels than `limits.enlarged-pixels`; signed URLs are not bound by it"
                ),
                memory: .never, held: .stays, weserv: Self.tooLargeOutput(.pixels(limit)))
        case .timedOut:
            FailureRow(
                status: 504, code: "decoder_timeout",
                message: "The picture took too long to decode (decoder.timeout).",
                when: .load("the decoder was too slow (`decoder.timeout`)"),
                memory: .known(.notAnImage, about: .longJobs), held: .stays,
                weserv: .replaced(404, "The requested URL timed out."))
        case .overloaded(let retryAfter): FailureRow(own: .overloaded(retryAfter: retryAfter))
        case .unavailable: FailureRow(own: .unavailable(.decoder))
        case .cancelled: FailureRow(own: .cancelled)
        }
    }

    private static var unsupported: FailureRow.Weserv {
        .replaced(404, "Invalid or unsupported image format. Is it a valid image?")
    }

    private static var unreadable: FailureRow.Weserv {
        .replaced(404, "Image not readable. Is it a valid image?")
    }

    /// wsrv.nl has words for a limit in pixels only.
    private static func tooLargeOutput(_ limit: OutputLimit) -> FailureRow.Weserv {
        guard case .pixels(let pixels) = limit else { return .replaced(404, limit.message) }
        return .replaced(
            404, "Output image exceeds pixel limit. Width x height should be less than \(pixels)")
    }

    /// An example of each case, from which documents and tests are derived.
    package static let examples: [DecodeFailure] = [
        .notAnImage, .formatNotAllowed(.svg), .codingNotRead(.jpeg), .outputNotAllowed(.jxl), .drawingRefused,
        .damaged,
        .tooManyPixels(limit: 1000), .beyondOwnLimit("1000 bytes"),
        .tooManyFrames(limit: 7), .noSuchPage(pages: 3), .tooMuchMemory(needed: 2 << 20, limit: 1 << 20),
        .outOfMemory, .encoderFailed,
        .outputTooLarge(.bytes(1000)), .outputTooLarge(.side(1000)), .outputTooLarge(.pixels(1000)),
        .outputTooLarge(.textPixels(1000)), .outputTooLarge(.embeddedPixels(1000)),
        .outputTooLarge(.dataURLBytes(1000)), .enlargedTooFar(asked: 2000, limit: 1000),
        .timedOut, .overloaded(retryAfter: 3),
        .unavailable, .cancelled,
    ]
}

extension OutputLimit {
    /// The message names the unit, and what to ask for instead.
    fileprivate var message: String {
        switch self {
        case .bytes(let limit):
            "The result is too large: its file has more than \(limit) bytes (decoder.maximum-output). Ask for a smaller picture, a lower quality or another format."
        case .side(let limit):
            "The result is too large: its format allows \(limit) pixels a side. Ask for a smaller picture, or for another format."
        case .pixels(let limit):
            "The result is too large: it, or what it is cut from, has more than \(limit) pixels, all frames together. Ask for a smaller picture, or for fewer frames."
        case .textPixels(let limit):
            "The text is too large: its letters cover more than \(limit) pixels. Ask for smaller letters (tsize), or for fewer."
        case .embeddedPixels(let limit):
            "The drawing is too large: the pictures within it have more than \(limit) pixels together."
        case .dataURLBytes(let limit):
            "The result is too large for a data: URL, since its file has more than \(limit) bytes. Ask for a smaller picture, or without encoding."
        }
    }
}

extension FailureRow {
    /// A row about a picture: the failure repeats with every request, a browser may be able to show the
    /// picture, and it does not concern the origin.
    fileprivate init(
        status: Int, code: String, message: String, when: When, memory: Memory, held: Held, weserv: Weserv
    ) {
        self.init(
            status: status, code: code, message: message, when: when, retryAfter: nil, memory: memory,
            held: held, health: .none, fetch: nil, allowsSource: true, isRefunded: false, weserv: weserv)
    }
}

extension DecodeFailure: CodedError {
    /// The error code in the answer.
    package var code: String { row.code }
}
