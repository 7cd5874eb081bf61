import { statementsOver, type TablesOf } from '#kernel'
import type { operationEntity } from './operation-entity.ts'

export const statement = statementsOver<TablesOf<typeof operationEntity>>()
