/** Endpoints of costs and receipts, for clients of the Admin API. */
export * from './cost/cost-api.ts'
export * from './leaks/leak-api.ts'
export * from './receipts/receipt-api.ts'
