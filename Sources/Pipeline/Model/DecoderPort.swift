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
    /// Reads the metadata of a body; those of the header alone if the picture is to blame.
    /// - Throws: a failure of the machine.
    func details(of body: Body, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails
    /// Reads the header as it is for one page of a TIFF, by the number that a recipe has of it; nil if the page cannot be read.
    /// - Throws: a failure of the machine.
    func header(ofPage page: Int, of body: Body) async throws(DecodeFailure) -> ImageHeader?
    /// Makes the rendition, with the job's `key`. Cancelling the task gives the job up.
    /// - Returns: nil if an input has changed on disk, and is forgotten; and if the decoders are no more the engine of the job's
    ///   key, but the one that the pipeline has adopted meanwhile.
    /// - Throws: the picture's fault or the machine's, as `DecodeFailure` distinguishes them.
    func render(_ job: RenderJob<Body>) async throws(DecodeFailure) -> (
        rendition: Rendition, body: Body, timing: RenderTiming
    )?
}
