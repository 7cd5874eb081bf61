// Storage with the statements of a PUT of the product: object, content, cached bytes, piece and store task. Its tasks never run.
import { systemClock } from '#kernel'
import { createTaskQueue, taskMigrations } from '#kernel/testing'
import { pieceKeeper } from '../../plugins/replication/attach.ts'
import { replicationMigrations } from '../../plugins/replication/migrations/all-migrations.ts'
import { createKeepers } from '../../plugins/storage/contents/keepers.ts'
import { storageMigrations } from '../../plugins/storage/migrations/all-migrations.ts'
import { type ObjectStorage, openObjectStorage } from '../../plugins/storage/testing/object-storage.ts'

/** As in the product. */
export const databaseBytesMax = 16 * 1024
const cacheBytes = 40 * 1024 ** 3

const moreSchemas = [
  { name: 'kernel', migrations: taskMigrations },
  { name: 'replication', migrations: replicationMigrations },
]

/** All tables of the storage of this folder. */
export const schemas = [{ name: 'storage', migrations: storageMigrations }, ...moreSchemas]

/** New contents only: `doubtCopies` is for those that are known already. */
const contents = { doubtCopies: () => Promise.reject(new Error('every content must be new')) }
const attached = [{ item: pieceKeeper, services: { queue: createTaskQueue(systemClock, () => {}), contents } }]

export const keepers = createKeepers(() => attached)

export const openCore = (dir: string): Promise<ObjectStorage> =>
  openObjectStorage({
    dir,
    databaseBytesMax,
    maxBytes: cacheBytes,
    sizes: { bytesMin: 127, bytesMax: 1_065_353_216 },
    moreSchemas,
    keepers: attached,
  })
