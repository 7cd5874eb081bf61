/** Public contract of the replication plugin: placements of contents, data sets, replica slots, and facts about providers. */
export * from './contract/data-sets.ts'
export * from './contract/placements.ts'
export * from './contract/providers.ts'
export * from './contract/slots.ts'
