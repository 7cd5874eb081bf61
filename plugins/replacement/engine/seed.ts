/** @walk replacement 3: lists the contents that must move */
import { defineProbe } from '#kernel'
import { addItems } from '../records/item-store.ts'
import { recordSeeding } from '../records/replacement-store.ts'
import type { Engine, Work } from './engine.ts'

const seeded = defineProbe('replacement.seeded')

/** Contents that become items in one transaction. */
const seedsPerPage = 1000

/** Lists the next page of contents of the sources. The last page marks the list as complete. */
export async function seed({ database, slots, states }: Engine, { replacement, sources }: Work): Promise<void> {
  const { id, seedingId, seededTo } = replacement
  const source = sources.find((one) => one.id >= (seedingId ?? 0))
  const isBegun = source !== undefined && source.id === seedingId
  const after = isBegun ? seededTo : 0
  const contentIds = source ? await slots.contentsOf(database.read, { dataSetId: source.id, after, limit: seedsPerPage }) : []
  const isSourceDone = contentIds.length < seedsPerPage
  const next = isSourceDone ? sources.find((one) => one.id > (source?.id ?? 0)) : source
  await database.write(async (tx) => {
    await addItems(tx, id, contentIds)
    const last = contentIds.at(-1) ?? after
    await recordSeeding(tx, { id, seedingId: next?.id ?? null, seededTo: next === source ? last : 0, isSeeded: next === undefined })
    states.announce(tx, id)
  })
  await seeded()
}
