import type { Database } from '#kernel'
import { runSql } from '#kernel/testing'
import { planDataSet } from '../../replication/datasets/data-set-store.ts'
import { rowStates } from '../../replication/testing/storage-rows.ts'

/** Slots of a bucket. */
const slots = 8

/** Inserts ready data sets, eight in a bucket, at providers in turn. */
export async function addDataSets(
  database: Database,
  { count, providers }: { readonly count: number; readonly providers: number },
): Promise<void> {
  await database.write(async (tx) => {
    for (let n = 0; n < count; n++) {
      const bucketId = Math.floor(n / slots) + 1
      const bucket =
        'insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (?, ?, 8, 2, 0, 0)'
      if (n % slots === 0) await runSql(tx, bucket, bucketId, `bucket-${bucketId}`)
      const id = await planDataSet(rowStates(0), tx, {
        bucketId,
        slot: n % slots,
        providerId: String((n % providers) + 1),
        providerAddress: '0x1',
        payee: '0x1',
        serviceUrl: `http://127.0.0.1:9/${n % providers}`,
        clientDataSetId: BigInt(n + 1),
        pieceBytesMax: 1_065_353_216,
      })
      await runSql(tx, "update data_sets set state = 'ready', chain_id = ?, final_at = 0 where id = ?", String(n + 100), id ?? 0)
    }
  })
}
