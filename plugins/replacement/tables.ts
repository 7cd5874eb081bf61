import { statementsOver, type TablesOf } from '#kernel'
import type { replacementItemEntity } from './records/item-entity.ts'
import type { replacementEntity } from './records/replacement-entity.ts'

export const statement = statementsOver<TablesOf<typeof replacementEntity | typeof replacementItemEntity>>()
