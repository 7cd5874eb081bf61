/** Endpoints of the wallet, for clients of the Admin API. */
export * from './account/account-api.ts'
export * from './operations/operations-api.ts'
export * from './readiness/readiness-api.ts'
export * from './setup/wallet-key-api.ts'
