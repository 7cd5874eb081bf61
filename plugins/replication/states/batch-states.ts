/** @walk copies 17: makes a batch that vanished undecided again */
import type { Log, Tx } from '#kernel'
import { nextCheckMs } from '../pace.ts'
import type { AttentionCode } from '../submissions/attention-policy.ts'
import {
  addBatch,
  type BatchDetails,
  batchesAtPieces,
  changeBatch,
  dropRemovalsOf,
  type NewBatch,
  sizeOfBatch,
  unsentBatches,
} from './batch-state-store.ts'
import { learnAccepted, learnRefused } from './call-limit-store.ts'
import type { CopyStateDeps, CopyStates } from './copy-states.ts'
import { isLost } from './follow-store.ts'
import { addSurplus, keepItems, releasedItems } from './released-item-store.ts'
import { type BatchEventName, batchEvent } from './tables/batch-transitions-policy.ts'

interface BatchOfDataSet {
  readonly id: number
  readonly dataSetId: number
}

/** A batch with what its operator was told. */
interface ReportedBatch {
  readonly id: number
  readonly attentionAtMs: number | null
  readonly attentionCode: AttentionCode | null
}

type PlainEvent = Exclude<BatchEventName, 'landed' | 'rolled_back'>

interface Landing {
  /** Ids in the signed order. */
  readonly pieceIds: readonly bigint[]
  readonly nextPieceId: bigint
  readonly epoch: bigint
  readonly next: { readonly checks: number; readonly atMs: number }
}

/** I-47: the one writer of the states of batches; what happens to their copies happens in the same call. */
export interface BatchStates {
  /** Records a batch with its signed bytes. Undefined, without changes, when one of its copies is no longer free. */
  record(tx: Tx, batch: NewBatch): Promise<number | undefined>
  /** False, without changes, when the state does not take the event. */
  apply(tx: Tx, event: PlainEvent, id: number, details?: BatchDetails): Promise<boolean>
  /** Calls an operator, or changes the reason. The batch is still looked up or sent again. */
  callOperator(tx: Tx, batch: ReportedBatch, code: AttentionCode): Promise<void>
  /** The attempt did not land, or its bytes were sent again after refusals: the operator has nothing to decide about it. */
  dismissOperator<B extends ReportedBatch>(tx: Tx, batch: B): Promise<B>
  /**
   * The batch landed. A copy that was released from it is committed by whichever batch landed first; the piece of the other one is removed:
   * no copy is committed twice, and no surplus piece stays paid for.
   */
  land(tx: Tx, batch: BatchOfDataSet, landing: Landing): Promise<void>
  /** The chain no longer has the landing, or has it with other ids: the nonce decides again. False when the batch is not confirmed. */
  rollBack(tx: Tx, id: number, message: string): Promise<boolean>
  /** Closes the batches of a data set that were not sent. The caller moves their copies. */
  closeUnsent(tx: Tx, dataSetId: number, message: string): Promise<void>
}

export type BatchStateDeps = CopyStateDeps & { readonly log: Log }

export function createBatchStates(deps: BatchStateDeps, copies: CopyStates): BatchStates {
  const { clock, pace, schedule, log } = deps
  const change = (tx: Tx, event: BatchEventName, id: number, details: BatchDetails = {}) =>
    changeBatch(tx, id, event, { ...details, nowMs: clock.now() })

  async function apply(tx: Tx, event: PlainEvent, id: number, details: BatchDetails = {}): Promise<boolean> {
    if ((await change(tx, event, id, details)) === undefined) return false
    const { copies: follows, size } = batchEvent(event)
    if (follows) await copies.apply(tx, follows, { batchId: id })
    if (size) await learn(tx, id, { isAccepted: size === 'accepted', named: details.piecesMax })
    return true
  }

  async function learn(tx: Tx, id: number, size: { readonly isAccepted: boolean; readonly named: number | undefined }): Promise<void> {
    const { providerId, pieces } = (await sizeOfBatch(tx, id)) ?? {}
    // The size of a batch of an earlier version is not recorded.
    if (providerId === undefined || !pieces) return
    const additions = { providerId, call: 'addition' } as const
    if (size.isAccepted) await learnAccepted(tx, additions, pieces)
    else await learnRefused(tx, additions, { pieces, named: size.named, nowMs: clock.now() })
  }

  async function rollBack(tx: Tx, batchId: number, message: string): Promise<boolean> {
    const dataSetId = await change(tx, 'rolled_back', batchId, { message, nextCheckAtMs: clock.now() + nextCheckMs(pace, 0) })
    if (dataSetId === undefined) return false
    await dropRemovalsOf(tx, batchId, clock.now())
    const pieces = await copies.apply(tx, 'rolled_back', { batchId }, { message })
    tx.afterCommit(() =>
      log.warn('committed pieces disappeared from the chain and are looked up again', {
        batch: batchId,
        dataSet: dataSetId,
        pieces: pieces.length,
        reason: message,
      }),
    )
    return true
  }

  return {
    async record(tx, batch) {
      const into = await addBatch(tx, batch, clock.now())
      if (into === undefined) return undefined
      const ids = batch.items.map(({ copyId }) => copyId)
      await copies.apply(tx, batch.method === 'store' ? 'batched' : 'pull_recorded', { ids }, { into })
      return into
    },
    apply,
    async callOperator(tx, { id, attentionCode }, code) {
      if (attentionCode !== code) await apply(tx, 'attention', id, { attention: code })
    },
    async dismissOperator(tx, batch) {
      if (batch.attentionAtMs === null) return batch
      await apply(tx, 'attention_ended', batch.id)
      return { ...batch, attentionAtMs: null, attentionCode: null }
    },
    async land(tx, batch, landing) {
      const { pieceIds, nextPieceId, epoch, next } = landing
      const { id: batchId, dataSetId } = batch
      const [firstPieceId] = pieceIds
      // I-27: one copy per piece on chain. The current outcome replaces outcomes from before a reorganisation.
      for (const id of await batchesAtPieces(tx, { dataSetId, pieceIds }, batchId))
        await rollBack(tx, id, `the chain gave its piece ids to batch ${batchId}`)
      const given = { nextCheckAtMs: next.atMs, landing: { nextPieceId, epoch, checks: next.checks } }
      if (firstPieceId === undefined || (await change(tx, 'landed', batchId, given)) === undefined) return
      await settleReleased(deps, copies, tx, { batch, pieceIds })
      await copies.apply(tx, 'committed', { batchId }, { into: batchId, firstPieceId })
      await schedule.verifyLandings(tx, next.atMs)
    },
    rollBack,
    async closeUnsent(tx, dataSetId, message) {
      for (const id of await unsentBatches(tx, dataSetId)) await change(tx, 'closed', id, { message })
    },
  }
}

/** Commits the released copies that no other batch committed, and removes the pieces of the others. */
async function settleReleased(
  { clock, pace, schedule, log }: BatchStateDeps,
  copies: CopyStates,
  tx: Tx,
  { batch, pieceIds }: { readonly batch: BatchOfDataSet; readonly pieceIds: readonly bigint[] },
): Promise<void> {
  const { id: batchId, dataSetId } = batch
  const released = await releasedItems(tx, batchId)
  const [firstPieceId] = pieceIds
  if (released.length === 0 || firstPieceId === undefined) return
  const ids = released.map(({ copyId }) => copyId)
  const changed = await copies.apply(tx, 'adopted', { ids }, { into: batchId, firstPieceId })
  const adopted = new Set(changed.map(({ id }) => id))
  if (adopted.size > 0) await keepItems(tx, batchId, [...adopted], clock.now())
  const surplus = released.filter(({ copyId }) => !adopted.has(copyId))
  if (surplus.length > 0 && !(await isLost(tx, dataSetId))) {
    for (const { ordinal, contentId, pieceCid } of surplus) {
      const pieceId = pieceIds[ordinal]
      if (pieceId !== undefined) await addSurplus(tx, { dataSetId, batchId, contentId, pieceId, pieceCid, nowMs: clock.now() })
    }
    await schedule.cleanup(tx, dataSetId, clock.now() + pace.batchingWindowMs)
    tx.afterCommit(() =>
      log.warn('a released attempt landed after another one: its pieces are removed', {
        batch: batchId,
        copies: surplus.map(({ copyId }) => copyId),
      }),
    )
  }
  await copies.recount(
    tx,
    surplus.map(({ contentId }) => contentId),
  )
}
