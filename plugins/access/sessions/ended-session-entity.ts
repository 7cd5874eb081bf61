import { defineEntity, p } from '@mikro-orm/core'

/** A session that an operator ended from the list: it stays ended after a restart. */
export const endedSessionEntity = defineEntity({
  name: 'EndedSession',
  tableName: 'ended_sessions',
  properties: {
    id: p.text().primary(),
    /** Latest expiry of its tokens. */
    until: p.bigint('number'),
  },
})
