import { statementsOver, type TablesOf } from '#kernel'
import type { StorageTables } from '#plugins/storage'
import type { batchEntity } from './copies/records/batch-entity.ts'
import type { batchItemEntity } from './copies/records/batch-item-entity.ts'
import type { chunkRootsEntity } from './copies/records/chunk-roots-entity.ts'
import type { copyEntity } from './copies/records/copy-entity.ts'
import type { pieceEntity } from './copies/records/piece-entity.ts'
import type { callLimitEntity } from './datasets/call-limit-entity.ts'
import type { dataSetEntity } from './datasets/data-set-entity.ts'
import type { dataSetTotalsEntity } from './datasets/data-set-totals-entity.ts'
import type { priceListEntity } from './datasets/price-list-entity.ts'
import type { providerRefusalEntity } from './datasets/provider-refusal-entity.ts'
import type { replicaSlotEntity } from './datasets/replica-slot-entity.ts'
import type { endingEntity } from './endings/ending-entity.ts'
import type { raiseEntity } from './raises/raise-entity.ts'
import type { removalAttemptEntity } from './removals/removal-attempt-entity.ts'
import type { removalEntity } from './removals/removal-entity.ts'
import type { resumptionEntity } from './resumption/resumption-entity.ts'
import type { pastCallEntity } from './spending/past-call-entity.ts'
import type { copyDoubtEntity } from './standing/copy-doubt-entity.ts'
import type { dataSetStandingEntity } from './standing/data-set-standing-entity.ts'

/** The tables of replication and, to read, those of storage. */
export interface ReplicationTables
  extends StorageTables,
    TablesOf<
      | typeof dataSetEntity
      | typeof replicaSlotEntity
      | typeof dataSetTotalsEntity
      | typeof providerRefusalEntity
      | typeof callLimitEntity
      | typeof pieceEntity
      | typeof chunkRootsEntity
      | typeof copyEntity
      | typeof batchEntity
      | typeof batchItemEntity
      | typeof removalEntity
      | typeof removalAttemptEntity
      | typeof endingEntity
      | typeof resumptionEntity
      | typeof priceListEntity
      | typeof pastCallEntity
      | typeof dataSetStandingEntity
      | typeof copyDoubtEntity
      | typeof raiseEntity
    > {}

export const statement = statementsOver<ReplicationTables>()
