import { statementsOver, type TablesOf } from '#kernel'
import type { StorageTables } from '#plugins/storage'
import type { askedCompactionEntity } from './compaction/asked-compaction-entity.ts'
import type { packMoveEntity } from './compaction/pack-move-entity.ts'
import type { sealedPackEntity } from './compaction/sealed-pack-entity.ts'
import type { bucketPackingEntity } from './policies/bucket-packing-entity.ts'
import type { askedPackingEntity } from './stored/asked-packing-entity.ts'

/** The tables of this plugin and, to read, those of storage. */
export const statement = statementsOver<
  StorageTables &
    TablesOf<
      | typeof bucketPackingEntity
      | typeof packMoveEntity
      | typeof askedCompactionEntity
      | typeof sealedPackEntity
      | typeof askedPackingEntity
    >
>()
