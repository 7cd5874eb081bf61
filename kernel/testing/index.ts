/** What tests of plugins use: import it as `#kernel/testing`. */
export { cheapPasswordHash, startTestListener, type TestListener, testAuthorization, testOperator } from './admin-listener.ts'
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { basicAuth, sendRaw } from './http.ts'
export { type ProbeHold, type ProbeWatch, watchProbes } from './probes.ts'
export { type ConformanceCase, checkTaskKind } from './task-conformance.ts'
export { openTestDatabase, type TestDatabase } from './test-database.ts'
export { type TestKernel, type TestKernelOptions, testKernel } from './test-kernel.ts'
