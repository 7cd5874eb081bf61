import type { Tx } from '#kernel'
import type { NonceOutcome } from '../chain/nonce-policy.ts'
import type { Pipeline } from '../pipeline.ts'
import { judgeLook, type Landing, type LookVerdict, nextLookEpochs } from './look-policy.ts'
import {
  landedBatches,
  markBatchFinal,
  markDataSetFinal,
  type NextLook,
  postponeBatchLook,
  postponeDataSetLook,
  type UnfinalBatch,
  type UnfinalDataSet,
} from './look-store.ts'
import { takeBackBatch, takeBackCreation } from './take-back.ts'

/** The epochs of one look: behind the confirmations, and beyond every reorganisation. */
export interface Depths {
  readonly confirmed: bigint
  readonly finalized: bigint
}

export async function readDepths({ chain }: Pick<Pipeline, 'chain'>): Promise<Depths> {
  const [confirmed, finalized] = await Promise.all([chain.finalEpoch(), chain.finalizedEpoch()])
  return { confirmed, finalized: finalized < confirmed ? finalized : confirmed }
}

/** When a landing that was seen at `epoch` is looked at next. */
export function nextLook(
  { clock, pace }: Pick<Pipeline, 'clock' | 'pace'>,
  { epoch, finalized, looks }: { readonly epoch: bigint | null; readonly finalized: bigint; readonly looks: number },
): NextLook {
  const epochsLeft = epoch === null ? 0 : Number(epoch - finalized)
  return { looks: looks + 1, atMs: clock.now() + nextLookEpochs({ looks, epochsLeft }) * pace.epochMs }
}

const vanishedMessage = 'the chain no longer has what it had confirmed: a reorganisation took it back'

/**
 * Reads the nonces of landed batches at both depths, one read a batch and depth, and records what follows: final, another look later, or
 * back to the nonce's truth.
 */
export async function lookAtBatches(
  doors: Pipeline,
  batches: readonly UnfinalBatch[],
  depths: Depths,
): Promise<ReadonlyMap<number, LookVerdict>> {
  const { database, clock } = doors
  const verdicts = new Map<number, LookVerdict>()
  for (const { item, verdict } of await judgeAll(doors, batches, depths)) verdicts.set(item.id, verdict)
  const standing = batches.filter(({ id }) => verdicts.get(id) !== 'vanished')
  await database.write((tx) => {
    for (const batch of standing) {
      if (verdicts.get(batch.id) === 'final') markBatchFinal(tx, batch, clock.now())
      else postponeBatchLook(tx, batch.id, nextLookOf(doors, batch, depths))
    }
  })
  for (const batch of batches) {
    if (verdicts.get(batch.id) !== 'vanished') continue
    await database.write((tx) => {
      // It may have landed anew since it was read.
      if (isUnchanged(tx, batch)) takeBackBatch(doors, tx, batch.id, vanishedMessage)
    })
  }
  return verdicts
}

/** The same for creations of data sets. */
export async function lookAtDataSets(
  doors: Pipeline,
  dataSets: readonly UnfinalDataSet[],
  depths: Depths,
): Promise<ReadonlyMap<number, LookVerdict>> {
  const { database, clock } = doors
  const judged = await judgeAll(
    doors,
    dataSets.map((dataSet) => ({ ...dataSet, nonce: dataSet.clientDataSetId })),
    depths,
  )
  const vanished = judged.filter(({ verdict }) => verdict === 'vanished')
  await database.write((tx) => {
    for (const { item, verdict } of judged) {
      if (verdict === 'final') markDataSetFinal(tx, item, clock.now())
      else postponeDataSetLook(tx, item.id, nextLookOf(doors, item, depths))
    }
  })
  for (const { item } of vanished) await takeBackCreation(doors, item, vanishedMessage)
  return new Map(judged.map(({ item, verdict }) => [item.id, verdict]))
}

function nextLookOf(
  doors: Pipeline,
  { landing, looks }: { readonly landing: Landing; readonly looks: number },
  { finalized }: Depths,
): NextLook {
  return nextLook(doors, { epoch: landing.epoch, finalized, looks })
}

async function judgeAll<T extends { readonly nonce: bigint; readonly landing: Landing }>(
  { reads, signer, log }: Pipeline,
  items: readonly T[],
  depths: Depths,
): Promise<readonly { readonly item: T; readonly verdict: LookVerdict }[]> {
  const nonces = (epoch: bigint) => Promise.all(items.map(({ nonce }) => reads.nonceAt(signer.address, nonce, epoch)))
  const finalizedNonces = nonces(depths.finalized).catch((error: unknown) => {
    // Nodes that keep few states do not answer so far back. What vanished must be found all the same.
    log.warn('the chain node does not answer for the finalized epoch: nothing is final; see chain.finality_epochs', {
      epoch: depths.finalized.toString(),
      error,
    })
    return items.map((): NonceOutcome => ({ landed: false }))
  })
  const [confirmed, finalized] = await Promise.all([nonces(depths.confirmed), finalizedNonces])
  return items.flatMap((item, index) => {
    const [now, deep] = [confirmed[index], finalized[index]]
    if (!now || !deep) return []
    return [{ item, verdict: judgeLook(item.landing, { confirmed: now, confirmedEpoch: depths.confirmed, finalized: deep }) }]
  })
}

function isUnchanged(tx: Tx, { id, landing }: UnfinalBatch): boolean {
  const found = landedBatches(tx, [id])[0]?.landing
  return found?.epoch === landing.epoch && found.nextPieceId === landing.nextPieceId && found.dataSetId === landing.dataSetId
}
