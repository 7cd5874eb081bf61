/** Entities of storage to which foreign keys of other plugins' entities refer. */
export { bucketEntity } from './catalog/bucket-entity.ts'
export { contentEntity } from './catalog/content-entity.ts'
