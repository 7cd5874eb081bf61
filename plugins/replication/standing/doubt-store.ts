/** The only writer of `copy_doubts`. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { RemoteCopy } from '../contract.ts'
import { statement } from '../tables.ts'

export type FailedResult = 'missing' | 'wrong_bytes'

/** Copies in doubt at a time: a fault of more of them is one of their providers. */
const doubtsMax = 10_000

const add = sqlStatement<{ copyId: number; result: FailedResult; nowMs: number }>(
  `insert into copy_doubts (copy_id, result, next_check_at)
   select k.id, cast(:result as text), cast(:nowMs as bigint) from copies k
   where k.id = :copyId and k.state = 'committed' and (select count(*) from copy_doubts) < ${doubtsMax}
   on conflict (copy_id) do nothing`,
)

const find = statement((db, { copyId }: Params<{ copyId: number }>) =>
  db
    .selectFrom('copy_doubts as w')
    .innerJoin('copies as k', 'k.id', 'w.copy_id')
    .innerJoin('data_sets as d', 'd.id', 'k.data_set_id')
    .select(['w.failures', 'w.checks', 'w.first_failed_at as firstFailedAtMs', 'w.denied_at as deniedAtMs', 'w.refills'])
    .select(['k.content_id as contentId', 'k.data_set_id as dataSetId', 'd.chain_id as chainId', 'k.chain_piece_id as pieceId'])
    .where('w.copy_id', '=', copyId),
)

type Failure = {
  copyId: number
  result: FailedResult
  failures: number
  checks: number
  firstFailedAtMs: number
  nextCheckAtMs: number
  deniedAtMs: number | null
  chainState: 'live' | 'gone' | 'unknowable' | null
}
const fail = statement((db, row: Params<Failure>) =>
  db
    .updateTable('copy_doubts')
    .set((doubt) => ({
      result: row.result,
      failures: row.failures,
      checks: row.checks,
      first_failed_at: row.firstFailedAtMs,
      next_check_at: row.nextCheckAtMs,
      denied_at: row.deniedAtMs,
      chain_state: doubt.fn.coalesce(doubt.val(row.chainState).$castTo<Failure['chainState']>(), 'chain_state'),
    }))
    .where('copy_id', '=', row.copyId),
)

const postpone = statement((db, { copyId, atMs }: Params<{ copyId: number; atMs: number }>) =>
  db.updateTable('copy_doubts').set({ next_check_at: atMs }).where('copy_id', '=', copyId),
)

const refilled = sqlStatement<{ copyId: number; nowMs: number }>(
  `update copy_doubts set failures = 0, checks = 0, first_failed_at = null, next_check_at = :nowMs, chain_state = null, refills = refills + 1
   where copy_id = :copyId`,
)

const remove = statement((db, { copyId }: Params<{ copyId: number }>) => db.deleteFrom('copy_doubts').where('copy_id', '=', copyId))

/** After a removal, a loss or a reorganisation the copy is not in doubt, but not there. */
const removeOver = sqlStatement<Record<never, never>>(
  `delete from copy_doubts where copy_id in (select k.id from copies k join copy_doubts w on w.copy_id = k.id
     where k.state in ('removed', 'lost', 'failed'))`,
)

export const remoteCopyColumns = `k.id as "copyId", k.content_id as "contentId", k.data_set_id as "dataSetId", d.provider_id as "providerId",
  d.service_url as "serviceUrl", p.piece_cid as "pieceCid", p.length`

const findDue = sqlStatement<{ nowMs: number; ofProvider: number }, RemoteCopy>(
  `select "copyId", "contentId", "dataSetId", "providerId", "serviceUrl", "pieceCid", length from (
     select ${remoteCopyColumns}, w.next_check_at as due_at,
       row_number() over (partition by d.provider_id order by w.next_check_at, w.copy_id) as place
     from copy_doubts w join copies k on k.id = w.copy_id join data_sets d on d.id = k.data_set_id join pieces p on p.id = k.piece_id
     where w.next_check_at <= :nowMs and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring')
       and p.piece_cid is not null) due
   where place <= :ofProvider order by due_at, "copyId"`,
)

/** The copy gets a check soon. False for one that is in doubt already, and above the limit of doubts. */
export const addDoubt = async (tx: Tx, doubt: { copyId: number; result: FailedResult; nowMs: number }): Promise<boolean> =>
  (await tx.run(add, doubt)).changes === 1

export const findDoubt = (read: Reader, copyId: number) => read.get(find, { copyId })

export async function recordFailure(tx: Tx, failure: Failure): Promise<void> {
  await tx.run(fail, failure)
}

export async function postponeCheck(tx: Tx, copyId: number, atMs: number): Promise<void> {
  await tx.run(postpone, { copyId, atMs })
}

/** The piece is stored again: it is checked as soon as the copy is committed, and does not count before that check. */
export async function recordRefill(tx: Tx, copyId: number, nowMs: number): Promise<void> {
  await tx.run(refilled, { copyId, nowMs })
}

export async function removeDoubt(tx: Tx, copyId: number): Promise<void> {
  await tx.run(remove, { copyId })
}

export async function removeSettledDoubts(tx: Tx): Promise<void> {
  await tx.run(removeOver)
}

export const dueDoubts = (read: Reader, nowMs: number, ofProvider: number): Promise<readonly RemoteCopy[]> =>
  read.all(findDue, { nowMs, ofProvider })
