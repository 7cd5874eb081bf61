/** Packs with bytes of deleted objects that their bucket wants erased. */
import { type DueTimes, type Params, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

const dayMs = 86_400_000
/** Copies of the new pack, and the removal of the old one, take up to a day. */
const moveDays = 1

const add = statement((db, { packId, records }: Params<{ packId: number; records: number }>) =>
  db.insertInto('sealed_packs').values({ pack_id: packId, records, dead_at: null }),
)

/** A pack that contents still join has fewer members than records without any that died. */
const markDead = sqlStatement<{ nowMs: number }>(
  `update sealed_packs set dead_at = :nowMs where dead_at is null and pack_id not in (select m.pack_id from pack_moves m)
     and exists (select 1 from packs p where p.content_id = pack_id and p.members > 0 and p.members < records)`,
)

const forgetEnded = sqlStatement<object>('delete from sealed_packs where not exists (select 1 from packs p where p.content_id = pack_id)')

const forgetAskedEnded = sqlStatement<object>(
  'delete from asked_compactions where not exists (select 1 from packs p where p.content_id = pack_id)',
)

/** A pack that is being replaced has its turn later. */
const askDue = sqlStatement<{ nowMs: number }>(
  `insert into asked_compactions (pack_id) select s.pack_id from sealed_packs s join contents c on c.id = s.pack_id
     join bucket_packings b on b.bucket_id = c.bucket_id
   where s.dead_at is not null and b.erase_within_days > 0
     and s.dead_at + cast(case when b.erase_within_days > ${moveDays} then b.erase_within_days - ${moveDays} else 0 end as bigint) * ${dayMs} <= :nowMs
     and not exists (select 1 from pack_moves m join pack_members k on k.content_id = m.content_id where k.pack_id = s.pack_id)
   on conflict (pack_id) do nothing`,
)

const boundDead = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.updateTable('sealed_packs').set({ dead_at: nowMs }).where('dead_at', '>', nowMs),
)

export async function recordSealed(tx: Tx, packId: number, records: number): Promise<void> {
  await tx.run(add, { packId, records })
}

/** Asks for the compaction of packs whose bucket wants the bytes of deleted objects erased, in time before the period ends. */
export async function askErasures(tx: Tx, nowMs: number): Promise<void> {
  await tx.run(forgetEnded, {})
  await tx.run(forgetAskedEnded, {})
  await tx.run(markDead, { nowMs })
  await tx.run(askDue, { nowMs })
}

/** After the clock was set back, bytes of deleted objects would stay longer than the period of their bucket. */
export const erasureTimes: DueTimes = {
  name: 'packs-erasures',
  async bound(tx, nowMs) {
    await tx.run(boundDead, { nowMs })
  },
}
