import { statementsOver, type TablesOf } from '#kernel'
import type { auditLineEntity } from './audit/audit-line-entity.ts'
import type { endedSessionEntity } from './sessions/ended-session-entity.ts'

export const statement = statementsOver<TablesOf<typeof auditLineEntity | typeof endedSessionEntity>>()
