/** Public contract of the replication plugin: placements of contents and data sets. */
export * from './contract/data-sets.ts'
export * from './contract/placements.ts'
