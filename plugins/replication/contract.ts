/** Public contract of the replication plugin: placements of contents, data sets and replica slots. */
export * from './contract/data-sets.ts'
export * from './contract/paid-work.ts'
export * from './contract/placements.ts'
export * from './contract/slots.ts'
