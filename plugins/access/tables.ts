import { statementsOver, type TablesOf } from '#kernel'
import type { auditLineEntity } from './audit/audit-line-entity.ts'
import type { endedSessionEntity } from './sessions/ended-session-entity.ts'

export type AccessTables = TablesOf<typeof auditLineEntity | typeof endedSessionEntity>

export const statement = statementsOver<AccessTables>()
