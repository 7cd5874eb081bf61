/** What tests of plugins use: import it as `#kernel/testing`. */
export { cheapPasswordHash, startTestListener, type TestListener, testAuthorization, testOperator } from './admin-listener.ts'
export { basicAuth, sendRaw } from './http.ts'
export { type TestKernel, type TestKernelOptions, testKernel } from './test-kernel.ts'
