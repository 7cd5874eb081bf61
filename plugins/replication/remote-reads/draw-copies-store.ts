import { randomInt } from 'node:crypto'
import { type Reader, sqlStatement } from '#kernel'
import type { RemoteCopy } from '../contract.ts'
import { remoteCopyColumns } from '../standing/doubt-store.ts'

/** Ids tried with one query, and queries of one draw: enough where one copy of 1,000 is committed. */
const idsPerQuery = 500
const queriesMax = 40

const findLast = sqlStatement<Record<never, never>, { id: number | null }>('select max(id) as id from copies')

const findAmong = sqlStatement<{ ids: readonly number[] }, RemoteCopy>(
  `select ${remoteCopyColumns} from copies k join data_sets d on d.id = k.data_set_id join pieces p on p.id = k.piece_id
   where k.id in :ids and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring') and p.piece_cid is not null`,
)

const findPage = sqlStatement<{ after: number; limit: number }, RemoteCopy>(
  `select ${remoteCopyColumns} from copies k join data_sets d on d.id = k.data_set_id join pieces p on p.id = k.piece_id
   where k.id > :after and k.state = 'committed' and d.state in ('ready', 'write_blocked', 'retiring') and p.piece_cid is not null
   order by k.id limit :limit`,
)

const sumCommitted = sqlStatement<Record<never, never>, { n: number | null }>(
  'select cast(sum(committed_copies) as bigint) as n from data_set_totals',
)

export const countCommitted = async (read: Reader): Promise<number> => (await read.get(sumCommitted, {}))?.n ?? 0

export const pageOfCopies = (read: Reader, after: number, limit: number): Promise<readonly RemoteCopy[]> =>
  read.all(findPage, { after, limit })

/**
 * Random ids are looked up, and those without a committed copy are drawn again: each copy has the same probability, whatever the gaps
 * between the ids are. Fewer than `count` when most ids have none.
 */
export async function drawCopies(read: Reader, count: number): Promise<readonly RemoteCopy[]> {
  const last = (await read.get(findLast, {}))?.id ?? 0
  const drawn = new Map<number, RemoteCopy>()
  for (let queries = 0; queries < queriesMax && drawn.size < count && last > 0; queries++) {
    const ids = Array.from({ length: Math.min(idsPerQuery, last) }, () => randomInt(1, last + 1))
    const found = new Map((await read.all(findAmong, { ids })).map((copy) => [copy.copyId, copy]))
    for (const id of ids) {
      const copy = found.get(id)
      if (copy && drawn.size < count) drawn.set(id, copy)
    }
  }
  return [...drawn.values()]
}
