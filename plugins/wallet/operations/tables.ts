import { statementsOver, type TablesOf } from '#kernel'
import type { operationEntity } from './operation-entity.ts'
import type { replacedEntity } from './replaced-entity.ts'

export const statement = statementsOver<TablesOf<typeof operationEntity | typeof replacedEntity>>()
