import { statementsOver, type TablesOf } from '#kernel'
import type { replacementCountEntity } from './records/count-entity.ts'
import type { replacementItemEntity } from './records/item-entity.ts'
import type { replacementEntity } from './records/replacement-entity.ts'
import type { repairDecisionEntity } from './repair/decision-entity.ts'
import type { repairSignalEntity } from './repair/signal-entity.ts'

export const statement =
  statementsOver<
    TablesOf<
      | typeof replacementEntity
      | typeof replacementItemEntity
      | typeof replacementCountEntity
      | typeof repairSignalEntity
      | typeof repairDecisionEntity
    >
  >()
