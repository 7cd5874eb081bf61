/** Public contract of the storage plugin: buckets, objects, uploads, versions, contents and the cache. */
export type { StorageTables } from './catalog/entities/tables.ts'
export * from './checksums/checksums.ts'
export * from './contract/buckets.ts'
export * from './contract/cache.ts'
export * from './contract/contents.ts'
export * from './contract/objects.ts'
export * from './contract/uploads.ts'
export * from './contract/versions.ts'
