/** Public contract of the replication plugin: placements of contents, data sets, and facts about providers. */
export * from './contract/data-sets.ts'
export * from './contract/placements.ts'
export * from '../providers/contract/provider-facts.ts'
