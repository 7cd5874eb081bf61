import type { ExpressionBuilder } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { type AccessTables, statement } from '../tables.ts'
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
  readonly lastOfStrangersId: number
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
/** Lines that anybody can cause: without a name, and attempts to sign in, whose name was only claimed. */
const isOfStrangers = (row: ExpressionBuilder<AccessTables, 'audit_lines'>) =>
  row.or([row('who', 'is', null), row.and([row('what', '=', 'sign_in'), row('outcome', '<>', 'done')])])

const newestBeyond = statement((db, { linesMax }: Params<{ linesMax: number }>) =>
  db
    .selectFrom('audit_lines')
    .select('id')
    .where((row) => row.not(isOfStrangers(row)))
    .orderBy('id', 'desc')
    .limit(1)
    .offset(linesMax),
)
const newestOfStrangersBeyond = statement((db, { linesMax }: Params<{ linesMax: number }>) =>
  db.selectFrom('audit_lines').select('id').where(isOfStrangers).orderBy('id', 'desc').limit(1).offset(linesMax),
)
const removeOld = statement((db, { beforeMs, lastId, lastOfStrangersId, limit }: Params<Ends & { beforeMs: number; limit: number }>) =>
  db.deleteFrom('audit_lines').where('id', 'in', (inner) =>
    inner
      .selectFrom('audit_lines')
      .select('id')
      .where((row) =>
        row.or([
          row('at', '<', beforeMs),
          row.and([row.not(isOfStrangers(row)), row('id', '<=', lastId)]),
          row.and([isOfStrangers(row), row('id', '<=', lastOfStrangersId)]),
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
  /** Lines that only a person with rights can cause. */
  readonly linesMax: number
  /** Lines that anybody can cause: they push out only each other. */
  readonly ofStrangersMax: number
}

/** The newest lines beyond the limits. Removing older ones does not move them. */
export async function endsOf(read: Reader, { linesMax, ofStrangersMax }: Kept): Promise<Ends> {
  const last = await read.get(newestBeyond, { linesMax })
  const lastOfStrangers = await read.get(newestOfStrangersBeyond, { linesMax: ofStrangersMax })
  return { lastId: last?.id ?? 0, lastOfStrangersId: lastOfStrangers?.id ?? 0 }
}

/** Removes up to `limit` lines that are too old or too many. Returns how many. */
export async function removeLines(tx: Tx, removed: Ends & { readonly beforeMs: number; readonly limit: number }): Promise<number> {
  return (await tx.run(removeOld, removed)).changes
}
