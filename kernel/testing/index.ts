/** What tests of plugins use: import it as `#kernel/testing`. */
export { basicAuth, sendRaw } from './http.ts'
export { type TestKernel, type TestKernelOptions, testKernel } from './test-kernel.ts'
