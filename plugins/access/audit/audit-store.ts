import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { StoredLine } from './describe-line-policy.ts'

export interface KeptLine extends StoredLine {
  readonly id: number
  readonly at: number
}

export interface LineFilter {
  readonly what?: StoredLine['what'] | undefined
  readonly outcome?: StoredLine['outcome'] | undefined
  readonly who?: string | undefined
  readonly route?: string | undefined
  readonly fromMs: number
  readonly toMs: number
  /** Lines with a lower id. */
  readonly before: number
  readonly limit: number
}

/** Empty: every value. */
interface Wanted {
  readonly what: StoredLine['what'] | ''
  readonly outcome: StoredLine['outcome'] | ''
  readonly who: string
  readonly route: string
  readonly fromMs: number
  readonly toMs: number
  readonly before: number
  readonly limit: number
}

/** The newest lines that are too many; 0: none. */
interface Ends {
  readonly lastId: number
  readonly lastNamelessId: number
}

const columns = ['id', 'at', 'what', 'outcome', 'who', 'how', 'client', 'method', 'route', 'status', 'subject'] as const

const page = statement((db, { what, outcome, who, route, fromMs, toMs, before, limit }: Params<Wanted>) =>
  db
    .selectFrom('audit_lines')
    .select(columns)
    .where('id', '<', before)
    .where('at', '>=', fromMs)
    .where('at', '<=', toMs)
    .where((row) => row.or([row(what, '=', ''), row('what', '=', what as never)]))
    .where((row) => row.or([row(outcome, '=', ''), row('outcome', '=', outcome as never)]))
    .where((row) => row.or([row(who, '=', ''), row('who', '=', who)]))
    .where((row) => row.or([row(route, '=', ''), row('route', '=', route)]))
    .orderBy('id', 'desc')
    .limit(limit),
)
const add = statement((db, row: Params<StoredLine & { at: number }>) =>
  db.insertInto('audit_lines').values({
    at: row.at,
    what: row.what,
    outcome: row.outcome,
    who: row.who,
    how: row.how,
    client: row.client,
    method: row.method,
    route: row.route,
    status: row.status,
    subject: row.subject,
  }),
)
const newestBeyond = statement((db, { linesMax }: Params<{ linesMax: number }>) =>
  db.selectFrom('audit_lines').select('id').where('who', 'is not', null).orderBy('id', 'desc').limit(1).offset(linesMax),
)
const newestNamelessBeyond = statement((db, { linesMax }: Params<{ linesMax: number }>) =>
  db.selectFrom('audit_lines').select('id').where('who', 'is', null).orderBy('id', 'desc').limit(1).offset(linesMax),
)
const removeOld = statement((db, { beforeMs, lastId, lastNamelessId, limit }: Params<Ends & { beforeMs: number; limit: number }>) =>
  db.deleteFrom('audit_lines').where('id', 'in', (inner) =>
    inner
      .selectFrom('audit_lines')
      .select('id')
      .where((row) =>
        row.or([
          row('at', '<', beforeMs),
          row.and([row('who', 'is not', null), row('id', '<=', lastId)]),
          row.and([row('who', 'is', null), row('id', '<=', lastNamelessId)]),
        ]),
      )
      .orderBy('id')
      .limit(limit),
  ),
)

/** Newest first. */
export const pageOfLines = (read: Reader, { what, outcome, who, route, ...range }: LineFilter): Promise<readonly KeptLine[]> =>
  read.all(page, { what: what ?? '', outcome: outcome ?? '', who: who ?? '', route: route ?? '', ...range })

export const addLine = (tx: Tx, atMs: number, line: StoredLine): Promise<unknown> => tx.run(add, { at: atMs, ...line })

interface Kept {
  readonly beforeMs: number
  /** Lines of a known name. */
  readonly linesMax: number
  /** Lines without a name, which anybody can cause: they push out only each other. */
  readonly namelessMax: number
  readonly limit: number
}

/** Removes up to `limit` lines that are too old or too many. Returns how many. */
export async function removeLines(tx: Tx, { beforeMs, linesMax, namelessMax, limit }: Kept): Promise<number> {
  const last = await tx.get(newestBeyond, { linesMax })
  const lastNameless = await tx.get(newestNamelessBeyond, { linesMax: namelessMax })
  const { changes } = await tx.run(removeOld, { beforeMs, lastId: last?.id ?? 0, lastNamelessId: lastNameless?.id ?? 0, limit })
  return changes
}
