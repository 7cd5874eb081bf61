import { statementsOver, type TablesOf } from '#kernel'
import type { userEntity } from './user-entity.ts'

export const statement = statementsOver<TablesOf<typeof userEntity>>()
