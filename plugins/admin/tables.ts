import { statementsOver, type TablesOf } from '#kernel'
import type { bulkActionEntity } from './bulk/bulk-action-entity.ts'

export const statement = statementsOver<TablesOf<typeof bulkActionEntity>>()
