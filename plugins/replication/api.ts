/** Endpoints of the replication plugin, for the dashboard, scripts and tests of the whole product. */
export * from './confirmations/confirmation-api.ts'
export * from './raises/raise-api.ts'
export * from './shortfall/shortfall-api.ts'
