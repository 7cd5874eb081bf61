import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

interface EndedSession {
  readonly id: string
  readonly until: number
}

const end = statement((db, { id, until }: Params<EndedSession>) =>
  db
    .insertInto('ended_sessions')
    .values({ id, until })
    .onConflict((row) => row.column('id').doUpdateSet({ until })),
)
const listFrom = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.selectFrom('ended_sessions').select(['id', 'until']).where('until', '>', nowMs),
)
const forget = statement((db, { nowMs }: Params<{ nowMs: number }>) => db.deleteFrom('ended_sessions').where('until', '<', nowMs))

export const endSession = (tx: Tx, session: EndedSession): Promise<unknown> => tx.run(end, session)

export const listEnded = (read: Reader, nowMs: number): Promise<readonly EndedSession[]> => read.all(listFrom, { nowMs })

export const forgetEnded = (tx: Tx, nowMs: number): Promise<unknown> => tx.run(forget, { nowMs })
