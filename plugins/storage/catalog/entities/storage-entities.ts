import { bucketEntity } from './bucket-entity.ts'
import { bucketStatsEntity } from './bucket-stats-entity.ts'
import { cacheBlobEntity } from './cache-blob-entity.ts'
import { cacheBytesEntity } from './cache-bytes-entity.ts'
import { cacheEntryEntity } from './cache-entry-entity.ts'
import { cacheEpochEntity } from './cache-epoch-entity.ts'
import { cacheQuarantineEntity } from './cache-quarantine-entity.ts'
import { contentEntity } from './content-entity.ts'
import { contentPartEntity } from './content-part-entity.ts'
import { copyKeeperEntity } from './copy-keeper-entity.ts'
import { heldPartEntity } from './held-part-entity.ts'
import { objectHeadEntity } from './object-head-entity.ts'
import { objectIdEntity } from './object-id-entity.ts'
import { objectTombstoneEntity } from './object-tombstone-entity.ts'
import { objectVersionEntity } from './object-version-entity.ts'
import { packEntity } from './pack-entity.ts'
import { packMemberEntity } from './pack-member-entity.ts'
import { storedUsageEntity } from './stored-usage-entity.ts'
import { uploadEntity } from './upload-entity.ts'
import { uploadPartEntity } from './upload-part-entity.ts'
import { waitingMemberEntity } from './waiting-member-entity.ts'

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
  packEntity,
  packMemberEntity,
  waitingMemberEntity,
]
