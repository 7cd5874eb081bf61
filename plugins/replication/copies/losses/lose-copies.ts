import type { Tx } from '#kernel'
import type { Pipeline } from '../../pipeline.ts'
import { affectedContents, markCopiesLost } from './end-store.ts'

/** Contents read and discounted at once. */
const contentsPerPage = 5000

/**
 * The data set is lost with all its copies. In the same transaction the affected cached bytes become unreleasable, and stay so (I-02):
 * their contents lose one durable copy until they are recounted.
 */
export async function loseCopies({ contents }: Pick<Pipeline, 'contents'>, tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  for (let after = 0; ; ) {
    const page = await affectedContents(tx, dataSetId, { after, limit: contentsPerPage })
    const last = page.at(-1)
    if (last === undefined) break
    const ids = (isCommitted: boolean) => page.flatMap((content) => (content.isCommitted === isCommitted ? content.id : []))
    await contents.discount(tx, ids(true), 1)
    await contents.discount(tx, ids(false), 0)
    after = last.id
  }
  await markCopiesLost(tx, dataSetId, nowMs)
}
