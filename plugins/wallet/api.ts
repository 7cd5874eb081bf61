/** Endpoints of the wallet, for clients of the Admin API. */
export * from './readiness/readiness-api.ts'
