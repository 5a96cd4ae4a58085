// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The processes that read and make pictures.
package protocol DecoderPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// Reads the header of a body.
    /// - Throws: `.notAnImage`, `.damaged`, or a failure of the machine.
    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader
    /// Reads the header and the metadata at once.
    /// - Throws: as `header(of:)`.
    func description(of body: Body) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    )
    /// Reads the metadata of a body; if the picture prevents that, returns what the header alone gives.
    /// - Throws: a failure of the machine.
    func details(of body: Body, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails
    /// Reads the header of one page of a TIFF, by the recipe's number for the page; nil if the page cannot be read.
    /// - Throws: a failure of the machine.
    func header(ofPage page: Int, of body: Body) async throws(DecodeFailure) -> ImageHeader?
    /// Makes the rendition, with the job's `key`. Cancelling the task abandons the job.
    /// - Returns: nil if an input has changed on disk, which is forgotten then; also nil if the decoders no longer run the engine of
    ///   the job's key, because the pipeline has adopted another one meanwhile.
    /// - Throws: a fault of the picture or of the machine, as `DecodeFailure` distinguishes them.
    func render(_ job: RenderJob<Body>) async throws(DecodeFailure) -> (
        rendition: Rendition, body: Body, timing: RenderTiming
    )?
}
