import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

/** A task that was enqueued because the work had none. */
export interface Resumption {
  readonly work: string
  readonly tries: number
  readonly nextAtMs: number
}

const findSome = statement((db, { works }: Params<{ works: readonly string[] }>) =>
  db.selectFrom('resumptions').select(['work', 'tries', 'next_at as nextAtMs']).where('work', 'in', works),
)

const write = statement((db, { work, tries, nextAtMs }: Params<Resumption>) =>
  db
    .insertInto('resumptions')
    .values({ work, tries, next_at: nextAtMs })
    .onConflict((conflict) => conflict.column('work').doUpdateSet({ tries, next_at: nextAtMs })),
)

/** Work that was not enqueued again for so long has ended, or waits in its task. */
const forget = statement((db, { beforeMs, limit }: Params<{ beforeMs: number; limit: number }>) =>
  db
    .deleteFrom('resumptions')
    .where('work', 'in', ({ selectFrom }) =>
      selectFrom('resumptions').select('work').where('next_at', '<', beforeMs).orderBy('next_at').limit(limit),
    ),
)

/** Tasks whose failure an operator has not dismissed. By hand: the table is the kernel's. */
const findFailed = sqlStatement<{ works: readonly string[] }, { id: number; work: string }>(
  `select t.id, t.key as work from tasks t where t.status = 'failed' and t.acknowledged_at is null and t.key in :works order by t.id`,
)

export async function findResumptions(read: Reader, works: readonly string[]): Promise<ReadonlyMap<string, Resumption>> {
  return new Map((await read.all(findSome, { works })).map((found) => [found.work, found]))
}

export async function recordResumption(tx: Tx, resumption: Resumption): Promise<void> {
  await tx.run(write, { ...resumption })
}

export async function forgetResumptions(tx: Tx, page: { readonly beforeMs: number; readonly limit: number }): Promise<void> {
  await tx.run(forget, page)
}

/** The newest failed task of each work that waits for an operator, by the key of the work. */
export async function undismissedFailures(read: Reader, works: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return new Map((await read.all(findFailed, { works })).map(({ id, work }) => [work, id]))
}
