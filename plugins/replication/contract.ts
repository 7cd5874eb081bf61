/** Public contract of the replication plugin: placements of contents, data sets, replica slots, and whether copies count as durable. */
export * from './contract/data-sets.ts'
export * from './contract/dependence.ts'
export * from './contract/final-copies.ts'
export * from './contract/paid-work.ts'
export * from './contract/placements.ts'
export * from './contract/slots.ts'
export * from './contract/standings.ts'
export * from './contract/work-subjects.ts'
