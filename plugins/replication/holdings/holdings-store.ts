import { type Reader, sqlStatement } from '#kernel'
import type { Holdings } from '#plugins/storage'

/** Number of slots in which every piece of the content has one of the copy states, on data sets in one of the data set states. */
const slotsWith = (copyStates: string, dataSetStates: string) => `(select count(*) from (
  select c.slot from copies c join data_sets d on d.id = c.data_set_id
  where c.content_id = :contentId and c.state in (${copyStates}) and d.state in (${dataSetStates})
  group by c.slot having count(distinct c.piece_id) = (select count(*) from pieces where content_id = :contentId)) slots)`
const durableSlots = slotsWith(`'committed'`, `'ready', 'write_blocked', 'retiring'`)
/** Slots whose provider serves the bytes, committed or not: after a reorganisation copies can still be read there (I-20). */
const readableSlots = slotsWith(
  `'parked', 'batched', 'unconfirmed', 'attention', 'committed'`,
  `'creating', 'ready', 'write_blocked', 'retiring'`,
)

const hasCopies = (condition: string) => `exists (select 1 from copies where content_id = :contentId ${condition})`
const count = sqlStatement<{ contentId: number }, Holdings>(
  `select ${durableSlots} as "durableCopies", ${readableSlots} as "readableCopies", case
    when ${hasCopies(`and state = 'failed'`)}
      and not ${hasCopies(`and state in ('planned', 'transferring', 'parked', 'batched', 'unconfirmed')`)} then 'failed'
    when ${hasCopies('')} then 'storing' else 'none' end as progress`,
)

/** Counts the copies of a content by slot (I-19). */
export const readHoldings = async (read: Reader, contentId: number): Promise<Holdings> =>
  (await read.get(count, { contentId })) ?? { durableCopies: 0, readableCopies: 0, progress: 'none' }
