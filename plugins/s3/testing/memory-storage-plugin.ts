/** Replaces the storage plugin by storage in memory. */
import { clock, definePlugin, defineService, provide } from '#kernel'
import { buckets, objects, uploads, type Versions, versions } from '#plugins/storage'
import { createMemoryStorage, type MemoryStorage } from './memory-storage.ts'

const memoryStorage = defineService<MemoryStorage>('storage.memory')

export const memoryStoragePlugin = definePlugin({
  id: 'storage',
  provides: [
    provide(memoryStorage, { clock }, (uses) => createMemoryStorage(uses.clock)),
    provide(buckets, { memoryStorage }, (uses) => uses.memoryStorage.buckets),
    provide(objects, { memoryStorage }, (uses) => uses.memoryStorage.objects),
    provide(uploads, { memoryStorage }, (uses) => uses.memoryStorage.uploads),
    // The S3 API uses only these members of versions.
    provide(versions, { memoryStorage }, (uses) => uses.memoryStorage.versionHistory as Versions),
  ],
})
