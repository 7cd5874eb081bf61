/** The tables of replication, for `npm run check`. */
import { batchEntity } from './copies/records/batch-entity.ts'
import { batchItemEntity } from './copies/records/batch-item-entity.ts'
import { chunkRootsEntity } from './copies/records/chunk-roots-entity.ts'
import { copyEntity } from './copies/records/copy-entity.ts'
import { pieceEntity } from './copies/records/piece-entity.ts'
import { callLimitEntity } from './datasets/call-limit-entity.ts'
import { dataSetEntity } from './datasets/data-set-entity.ts'
import { dataSetTotalsEntity } from './datasets/data-set-totals-entity.ts'
import { priceListEntity } from './datasets/price-list-entity.ts'
import { providerRefusalEntity } from './datasets/provider-refusal-entity.ts'
import { replicaSlotEntity } from './datasets/replica-slot-entity.ts'
import { endingEntity } from './endings/ending-entity.ts'
import { raiseEntity } from './raises/raise-entity.ts'
import { removalAttemptEntity } from './removals/removal-attempt-entity.ts'
import { removalEntity } from './removals/removal-entity.ts'
import { resumptionEntity } from './resumption/resumption-entity.ts'
import { pastCallEntity } from './spending/past-call-entity.ts'
import { copyDoubtEntity } from './standing/copy-doubt-entity.ts'
import { dataSetStandingEntity } from './standing/data-set-standing-entity.ts'

export const replicationEntities = [
  dataSetEntity,
  replicaSlotEntity,
  dataSetTotalsEntity,
  providerRefusalEntity,
  callLimitEntity,
  pieceEntity,
  chunkRootsEntity,
  copyEntity,
  batchEntity,
  batchItemEntity,
  removalEntity,
  removalAttemptEntity,
  endingEntity,
  resumptionEntity,
  priceListEntity,
  pastCallEntity,
  dataSetStandingEntity,
  copyDoubtEntity,
  raiseEntity,
]
