// SPDX-License-Identifier: Apache-2.0

/// The size of the result, and which part of it is made in which form.
struct ResizeRequest {
    /// The fraction of the size at which blocks are decoded: 1, 2, 4 or 8 for 1/1 to 1/8.
    let shrink: Int
    /// In pixels, of the whole result.
    let width: Int
    let height: Int
    let window: PlaneWindow
    let form: PlaneForm
}
