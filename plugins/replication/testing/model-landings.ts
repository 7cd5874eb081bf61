import type { Reader, Tx } from '#kernel'
import { allRows, runSql } from '#kernel/testing'
import { nextCheck } from '../finality/landing-checks.ts'
import type { Pipeline } from '../pipeline.ts'
import type { ModelChain } from './model-chain.ts'

/** Records the landings of committed copies, as the commit task does. */
export async function recordLandings(deps: Pipeline, tx: Tx, chain: ModelChain): Promise<void> {
  const [epoch, finalized] = [chain.confirmedEpoch(), chain.finalizedEpoch()]
  const batches = await allRows<{ id: number; nonce: string }>(tx, "select id, nonce from commit_batches where state = 'confirmed'")
  for (const { id, nonce } of batches) {
    const found = chain.nonces.get(BigInt(nonce))
    if (!found?.landed || found.nextPieceId === undefined) throw new Error(`batch ${id} is not on chain`)
    const { nextPieceId } = found
    await runSql(tx, 'update copies set chain_piece_id = ? where batch_id = ?', String(nextPieceId - 1n), id)
    const { atMs, checks } = nextCheck(deps, { epoch, finalized, checks: 0 })
    const landed = 'update commit_batches set next_piece_id = ?, landed_epoch = ?, next_check_at = ?, checks = ? where id = ?'
    await runSql(tx, landed, String(nextPieceId), Number(epoch), atMs, checks, id)
  }
}

interface SubmittedBatch {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly pieceCids: readonly string[]
}

/** Batches that were sent at least once, without those that are proven not to land. */
export async function submittedBatches(read: Reader): Promise<readonly SubmittedBatch[]> {
  const rows = await allRows<{ nonce: string; chainId: string; cid: string }>(
    read,
    `select b.nonce, d.chain_id as "chainId", i.piece_cid as cid from commit_batches b join data_sets d on d.id = b.data_set_id
     join commit_items i on i.batch_id = b.id
     where d.chain_id is not null and (b.state in ('submitting', 'submitted', 'uncertain') or b.first_submitted_at is not null) and b.state <> 'closed'
     order by i.batch_id, i.ordinal`,
  )
  return [...Map.groupBy(rows, ({ nonce, chainId }) => `${chainId} ${nonce}`)].map(([name, items]) => {
    const [chainId, nonce] = name.split(' ').map(BigInt) as [bigint, bigint]
    return { chainId, nonce, pieceCids: items.map(({ cid }) => cid) }
  })
}
