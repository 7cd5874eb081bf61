/** Row functions of storage, for tests of plugins that attach to it. */
export { beginEviction, blobsOfContent, pageOfEntries, updateReleasable } from '../catalog/cache-entry-store.ts'
export { recordKeepers } from '../catalog/keeper-store.ts'
export { dropReferences } from '../catalog/reference-store.ts'
export { catchUp } from '../contents/catch-up.ts'
export { createContents } from '../contents/contents.ts'
export { createKeepers } from '../contents/keepers.ts'
export { storageMigrations } from '../migrations/all-migrations.ts'
