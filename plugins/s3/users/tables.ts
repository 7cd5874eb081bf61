import { statementsOver, type TablesOf } from '#kernel'
import type { newDataSetsEntity } from './new-data-sets-entity.ts'
import type { userEntity } from './user-entity.ts'

export const statement = statementsOver<TablesOf<typeof userEntity | typeof newDataSetsEntity>>()
