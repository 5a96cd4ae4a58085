// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Pipeline

/// A rendition and its bytes, which a cached answer keeps alive. It is found by its key, so that two spellings of one picture share
/// its bytes, as does one picture before and after its original was refreshed.
///
/// A separate object, because retaining an object with weak references is slow, and a cached answer is
/// retained for each answer.
///
/// **Isolation:** immutable.
final class RenditionBody: Sendable {
    let rendition: Rendition
    let body: Body

    init(rendition: Rendition, body: Body) {
        self.rendition = rendition
        self.body = body
    }
}
