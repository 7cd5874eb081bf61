/** The entities of storage, for `npm run check` and for foreign keys of other plugins' entities. */
import { bucketEntity } from './catalog/bucket-entity.ts'
import { bucketStatsEntity } from './catalog/bucket-stats-entity.ts'
import { cacheBlobEntity } from './catalog/cache-blob-entity.ts'
import { cacheBytesEntity } from './catalog/cache-bytes-entity.ts'
import { cacheEntryEntity } from './catalog/cache-entry-entity.ts'
import { cacheEpochEntity } from './catalog/cache-epoch-entity.ts'
import { cacheQuarantineEntity } from './catalog/cache-quarantine-entity.ts'
import { contentEntity } from './catalog/content-entity.ts'
import { contentPartEntity } from './catalog/content-part-entity.ts'
import { copyKeeperEntity } from './catalog/copy-keeper-entity.ts'
import { heldPartEntity } from './catalog/held-part-entity.ts'
import { objectHeadEntity } from './catalog/object-head-entity.ts'
import { objectIdEntity } from './catalog/object-id-entity.ts'
import { objectTombstoneEntity } from './catalog/object-tombstone-entity.ts'
import { objectVersionEntity } from './catalog/object-version-entity.ts'
import { storedUsageEntity } from './catalog/stored-usage-entity.ts'
import { uploadEntity } from './catalog/upload-entity.ts'
import { uploadPartEntity } from './catalog/upload-part-entity.ts'

export { bucketEntity, contentEntity, objectVersionEntity, uploadEntity }

export const storageEntities = [
  bucketEntity,
  bucketStatsEntity,
  contentEntity,
  contentPartEntity,
  heldPartEntity,
  objectVersionEntity,
  objectHeadEntity,
  objectTombstoneEntity,
  objectIdEntity,
  cacheEntryEntity,
  cacheBlobEntity,
  cacheBytesEntity,
  cacheEpochEntity,
  cacheQuarantineEntity,
  copyKeeperEntity,
  storedUsageEntity,
  uploadEntity,
  uploadPartEntity,
]
