import { statementsOver, type TablesOf } from '#kernel'
import type { bucketEntity } from './bucket-entity.ts'
import type { bucketStatsEntity } from './bucket-stats-entity.ts'
import type { cacheBlobEntity } from './cache-blob-entity.ts'
import type { cacheBytesEntity } from './cache-bytes-entity.ts'
import type { cacheEntryEntity } from './cache-entry-entity.ts'
import type { cacheEpochEntity } from './cache-epoch-entity.ts'
import type { cacheQuarantineEntity } from './cache-quarantine-entity.ts'
import type { contentEntity } from './content-entity.ts'
import type { contentPartEntity } from './content-part-entity.ts'
import type { copyKeeperEntity } from './copy-keeper-entity.ts'
import type { heldPartEntity } from './held-part-entity.ts'
import type { objectHeadEntity } from './object-head-entity.ts'
import type { objectIdEntity } from './object-id-entity.ts'
import type { objectTombstoneEntity } from './object-tombstone-entity.ts'
import type { objectVersionEntity } from './object-version-entity.ts'
import type { storedUsageEntity } from './stored-usage-entity.ts'
import type { uploadEntity } from './upload-entity.ts'
import type { uploadPartEntity } from './upload-part-entity.ts'

/** The tables of storage. */
export interface StorageTables
  extends TablesOf<
    | typeof bucketEntity
    | typeof bucketStatsEntity
    | typeof contentEntity
    | typeof contentPartEntity
    | typeof heldPartEntity
    | typeof objectVersionEntity
    | typeof objectHeadEntity
    | typeof objectTombstoneEntity
    | typeof objectIdEntity
    | typeof cacheEntryEntity
    | typeof cacheBlobEntity
    | typeof cacheBytesEntity
    | typeof cacheEpochEntity
    | typeof cacheQuarantineEntity
    | typeof copyKeeperEntity
    | typeof storedUsageEntity
    | typeof uploadEntity
    | typeof uploadPartEntity
  > {}

export const statement = statementsOver<StorageTables>()
