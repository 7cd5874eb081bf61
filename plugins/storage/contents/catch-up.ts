import { setImmediate } from 'node:timers/promises'
import type { Clock, Database, Tx } from '#kernel'
import { deletedBuckets } from '../catalog/buckets/deleted-bucket-store.ts'
import { findMissed, pageOfUnsettled, type UnsettledPlace } from '../catalog/contents/content-state-store.ts'
import { markCaughtUp, recordKeepers } from '../catalog/contents/keeper-store.ts'
import { deletedContents } from '../catalog/references/reference-store.ts'
import type { Contents } from '../contract.ts'
import type { Keepers } from './keepers.ts'

/** Contents per transaction. Each may enqueue a task. */
const contentsPerPage = 100

interface CatchUpDeps {
  readonly database: Database
  readonly clock: Clock
  readonly keepers: Pick<Keepers, 'names' | 'only'>
  readonly contents: Pick<Contents, 'recount' | 'forgetIfReleased' | 'forgetBucketIfReleased'>
}

/**
 * Tells keepers that were not attached at earlier starts what they missed. Runs before the first task, so that none of their tasks stores
 * or pays for a content that was deleted since. After a crash it starts again. Reads nothing when no keeper was absent.
 */
export async function catchUp({ database, clock, keepers, contents }: CatchUpDeps): Promise<void> {
  const names = await database.write((tx) => recordKeepers(tx, keepers.names()))
  if (names.length === 0) return
  const returned = keepers.only(names)
  await inPages(
    (after: number) => deletedContents(database.read, { after, limit: contentsPerPage }),
    0,
    (page) => database.write((tx) => giveUp(tx, page)),
  )
  await inPages(
    (after: number) => deletedBuckets(database.read, { after, limit: contentsPerPage }),
    0,
    (page) => database.write((tx) => giveUpBuckets(tx, page)),
  )
  await inPages(
    (after: UnsettledPlace) => pageOfUnsettled(database.read, { after, limit: contentsPerPage }),
    { bucketId: 0, storeState: '', id: 0 },
    (page) => database.write((tx) => need(tx, page)),
  )
  await database.write((tx) => markCaughtUp(tx, names))

  async function giveUp(tx: Tx, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      await returned.releaseContent(tx, id)
      await contents.forgetIfReleased(tx, id)
    }
  }

  async function giveUpBuckets(tx: Tx, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      await returned.releaseBucket(tx, id)
      await contents.forgetBucketIfReleased(tx, id)
    }
  }

  async function need(tx: Tx, page: readonly UnsettledPlace[]): Promise<void> {
    for (const { id } of page) {
      // Read in this transaction: a content may have been deleted since the page was read.
      if (!(await findMissed(tx, id))) continue
      await contents.recount(tx, [id], clock.now())
      const content = await findMissed(tx, id)
      // Nothing can store a lost content until its bytes are put again.
      if (content && !content.isLost) await returned.needed(tx, content)
    }
  }
}

async function inPages<P>(
  read: (after: P) => Promise<readonly P[]>,
  first: P,
  handle: (page: readonly P[]) => Promise<void>,
): Promise<void> {
  for (let page = await read(first); page.length > 0; page = await read(page.at(-1) ?? first)) {
    await handle(page)
    // Requests are served during the pause.
    await setImmediate()
  }
}
