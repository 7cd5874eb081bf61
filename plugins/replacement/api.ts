/** Endpoints of replacements, for clients of the Admin API. */
export * from './api/record-api.ts'
export * from './api/replacement-api.ts'
