/** Endpoints of the replacement plugin, for the dashboard, scripts and tests of the whole product. */
export * from './api/record-api.ts'
export * from './api/replacement-api.ts'
export * from './repair/repair-api.ts'
export * from './what-if/what-if-api.ts'
