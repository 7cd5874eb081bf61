/** Endpoints of the observability plugin, for the dashboard, scripts and tests of the whole product. */
export * from './data-sets/data-set-api.ts'
export * from './proof/proof-api.ts'
export * from './providers/provider-api.ts'
export * from './samples/sample-api.ts'
export * from './series/series-api.ts'
export * from './speed-tests/speed-test-api.ts'
