/** The entities of storage, for `npm run check` and for foreign keys of other plugins' entities. */
import { bucketEntity } from './catalog/entities/bucket-entity.ts'
import { bucketStatsEntity } from './catalog/entities/bucket-stats-entity.ts'
import { cacheBlobEntity } from './catalog/entities/cache-blob-entity.ts'
import { cacheBytesEntity } from './catalog/entities/cache-bytes-entity.ts'
import { cacheEntryEntity } from './catalog/entities/cache-entry-entity.ts'
import { cacheEpochEntity } from './catalog/entities/cache-epoch-entity.ts'
import { cacheQuarantineEntity } from './catalog/entities/cache-quarantine-entity.ts'
import { contentEntity } from './catalog/entities/content-entity.ts'
import { contentPartEntity } from './catalog/entities/content-part-entity.ts'
import { copyKeeperEntity } from './catalog/entities/copy-keeper-entity.ts'
import { heldPartEntity } from './catalog/entities/held-part-entity.ts'
import { objectHeadEntity } from './catalog/entities/object-head-entity.ts'
import { objectIdEntity } from './catalog/entities/object-id-entity.ts'
import { objectTombstoneEntity } from './catalog/entities/object-tombstone-entity.ts'
import { objectVersionEntity } from './catalog/entities/object-version-entity.ts'
import { storedUsageEntity } from './catalog/entities/stored-usage-entity.ts'
import { uploadEntity } from './catalog/entities/upload-entity.ts'
import { uploadPartEntity } from './catalog/entities/upload-part-entity.ts'

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
