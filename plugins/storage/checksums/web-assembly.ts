/** The parts of WebAssembly that are used: the types of Node lack them. */
interface Runtime {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
  /** Sizes in pages of `wasmPageBytes`. */
  readonly Memory: new (size: {
    initial: number
    maximum: number
    shared: true
  }) => { readonly buffer: SharedArrayBuffer }
}

export const wasmPageBytes = 64 * 1024
export const { Module, Instance, Memory } = (globalThis as unknown as { readonly WebAssembly: Runtime }).WebAssembly
