/** Contents that a data set does not have any more. */
import { type Reader, sqlStatement } from '#kernel'
import type { DependentCount } from '../../contract.ts'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { statesThatMayServe } from '../../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../../states/tables/transition.ts'

interface Page {
  readonly dataSetId: number
  readonly after: number
  readonly limit: number
}

/** Uses the index of lost copies. Only for a data set that is lost as a whole: its successor gets them. */
const findLost = sqlStatement<Page, { id: number }>(
  `select k.content_id as id from copies k join contents c on c.id = k.content_id and c.state = 'live'
   where k.data_set_id = :dataSetId and k.state = 'lost' and k.content_id > :after
     and exists (select 1 from data_sets d where d.id = :dataSetId and d.state = 'lost')
   order by k.content_id limit :limit`,
)

const isDenied = (copy: string, set: string) => `(exists (select 1 from copy_doubts w where w.copy_id = ${copy} and w.denied_at is not null)
  or exists (select 1 from data_set_standings s where s.data_set_id = ${set} and s.reason = 'not_on_chain'))`

/** No provider is known to serve content `c`, and it is not cached. */
const isUnreadable = `not exists (select 1 from cache_entries e where e.content_id = c.id and e.state = 'present')
  and not exists (select 1 from copies o join data_sets f on f.id = o.data_set_id where o.content_id = c.id
    and o.state in ${listOf(statesWithBytes)} and f.state in ${listOf(statesThatMayServe)} and not ${isDenied('o.id', 'f.id')})`

interface LossRow {
  readonly id: number
  readonly contents: number
  readonly size: number
  readonly versions: number
  readonly isLost: number
}

/** Sums the members of pack `c` that are not cached, or takes content `c` itself. Members that are cached are packed again. */
const lossOf = (members: string, own: string) =>
  `case when not ${isUnreadable} then 0 when exists (select 1 from packs k where k.content_id = c.id) then
     (select coalesce(sum(${members}), 0) from pack_members m join contents x on x.id = m.content_id where m.pack_id = c.id
        and not exists (select 1 from cache_entries e where e.content_id = x.id and e.state = 'present')) else ${own} end`

const lossColumns = `c.id, ${lossOf('1', '1')} as contents, ${lossOf('x.size', 'c.size')} as size, ${lossOf('x.ref_count', 'c.ref_count')} as versions, case when ${isUnreadable} then 1 else 0 end as "isLost"`

/** Lost copies, then those whose provider denies them, which are few. */
const findLosses = sqlStatement<Page, LossRow>(
  `select ${lossColumns} from (select k.content_id from copies k where k.data_set_id = :dataSetId and k.state = 'lost' and k.content_id > :after
     order by k.content_id limit :limit) p join contents c on c.id = p.content_id and c.state = 'live' order by c.id`,
)
const findPageEnd = sqlStatement<Page, { id: number }>(
  `select k.content_id as id from copies k where k.data_set_id = :dataSetId and k.state = 'lost' and k.content_id > :after
   order by k.content_id limit 1 offset :limit - 1`,
)
const findDenied = sqlStatement<{ dataSetId: number }, LossRow>(
  `select ${lossColumns} from copy_doubts w join copies k on k.id = w.copy_id join contents c on c.id = k.content_id and c.state = 'live'
   where w.denied_at is not null and k.data_set_id = :dataSetId and k.state = 'committed'`,
)

/** Contents with versions whose copies were lost with the data set, by id. */
export const lostContentsOf = async (read: Reader, page: Page): Promise<readonly number[]> =>
  (await read.all(findLost, { ...page })).map(({ id }) => id)

/** Contents that are looked at between two turns of the event loop. */
const contentsPerPage = 500

/** Counts the contents of which the data set had a copy, and no readable copy is known. */
export async function countLosses(read: Reader, dataSetId: number, turn: () => Promise<void>): Promise<DependentCount> {
  const sum = { contents: 0, versions: 0, bytes: 0n }
  const add = (rows: readonly LossRow[]) => {
    for (const { contents, size, versions, isLost } of rows) {
      if (isLost === 0) continue
      sum.contents += Number(contents)
      sum.versions += Number(versions)
      sum.bytes += BigInt(size)
    }
  }
  add(await read.all(findDenied, { dataSetId }))
  for (let after = 0; ; ) {
    const page = { dataSetId, after, limit: contentsPerPage }
    const end = await read.get(findPageEnd, page)
    add(await read.all(findLosses, page))
    if (!end) return sum
    after = end.id
    await turn()
  }
}
