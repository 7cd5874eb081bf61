/** The entities of storage, for `npm run check` and for foreign keys of other plugins' entities. */
export { bucketEntity } from './catalog/entities/bucket-entity.ts'
export { contentEntity } from './catalog/entities/content-entity.ts'
export { objectVersionEntity } from './catalog/entities/object-version-entity.ts'
export { storageEntities } from './catalog/entities/storage-entities.ts'
export { uploadEntity } from './catalog/entities/upload-entity.ts'
