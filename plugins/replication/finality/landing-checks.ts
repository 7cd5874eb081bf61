import type { Tx } from '#kernel'
import type { NonceOutcome } from '#plugins/providers'
import type { Pipeline } from '../pipeline.ts'
import { judgeLanding, type LandingVerdict, nextCheckEpochs } from './landing-policy.ts'
import {
  landedBatches,
  markBatchFinal,
  markDataSetFinal,
  type NextCheck,
  postponeBatchCheck,
  postponeDataSetCheck,
  type Unfinal,
} from './landing-store.ts'
import { type RollBackDeps, rollBackCreation } from './roll-back.ts'

export type LandingChecksDeps = RollBackDeps & Pick<Pipeline, 'pace' | 'reads' | 'signer'>

/** Epochs of one check: the newest confirmed one, and the newest that no reorganisation can change. */
export interface Depths {
  readonly confirmed: bigint
  readonly finalized: bigint
  /** The newest one at which records may be deleted: `finalized`, and earlier when a single node is asked. */
  readonly deletable: bigint
}

export async function readDepths({ chain }: Pick<Pipeline, 'chain'>): Promise<Depths> {
  const [confirmed, finalized] = await Promise.all([chain.finalEpoch(), chain.finalizedEpoch()])
  const older = finalized < confirmed ? finalized : confirmed
  const deletable = older - BigInt(chain.unconfirmedEpochs)
  return { confirmed, finalized: older, deletable: deletable > 0n ? deletable : 0n }
}

/** The next check of a landing that was read at `epoch`. */
export function nextCheck(
  { clock, pace }: Pick<Pipeline, 'clock' | 'pace'>,
  { epoch, finalized, checks }: { readonly epoch: bigint | null; readonly finalized: bigint; readonly checks: number },
): NextCheck {
  const epochsLeft = epoch === null ? 0 : Number(epoch - finalized)
  return { checks: checks + 1, atMs: clock.now() + nextCheckEpochs({ checks, epochsLeft }) * pace.epochMs }
}

const missingMessage = 'the chain no longer has the confirmed landing: a reorganisation removed it'

/**
 * Reads the nonces of landed batches at both epochs, one read per batch and epoch, and records the verdict: final, another check later,
 * or rolled back.
 */
export async function checkBatches(
  deps: LandingChecksDeps,
  batches: readonly Unfinal[],
  depths: Depths,
): Promise<ReadonlyMap<number, LandingVerdict>> {
  const { database, clock, states } = deps
  const judged = await judgeAll(deps, batches, depths)
  await database.write(async (tx) => {
    for (const { item, verdict, next } of judged) {
      if (verdict === 'final') await markBatchFinal(tx, item, clock.now())
      else if (verdict !== 'missing') await postponeBatchCheck(tx, item.id, next)
    }
  })
  for (const { item, verdict } of judged) {
    if (verdict !== 'missing') continue
    await database.write(async (tx) => {
      // The batch may have landed again since it was read.
      if (await isUnchanged(tx, item)) await states.batches.rollBack(tx, item.id, missingMessage)
    })
  }
  return new Map(judged.map(({ item, verdict }) => [item.id, verdict]))
}

/** The same for data set creations. */
export async function checkDataSets(
  deps: LandingChecksDeps,
  dataSets: readonly Unfinal[],
  depths: Depths,
): Promise<ReadonlyMap<number, LandingVerdict>> {
  const { database, clock } = deps
  const judged = await judgeAll(deps, dataSets, depths)
  await database.write(async (tx) => {
    for (const { item, verdict, next } of judged) {
      if (verdict === 'final') await markDataSetFinal(tx, item, clock.now())
      else await postponeDataSetCheck(tx, item.id, next)
    }
  })
  for (const { item, verdict } of judged) if (verdict === 'missing') await rollBackCreation(deps, item, missingMessage)
  return new Map(judged.map(({ item, verdict }) => [item.id, verdict]))
}

async function judgeAll(
  deps: LandingChecksDeps,
  items: readonly Unfinal[],
  depths: Depths,
): Promise<readonly { readonly item: Unfinal; readonly verdict: LandingVerdict; readonly next: NextCheck }[]> {
  const { reads, signer, log } = deps
  const nonceAt = async ({ nonce, landing }: Unfinal, epoch: bigint) =>
    nonce === undefined ? outcomeOf(landing) : reads.nonceAt(signer.address, nonce, epoch)
  const nonces = (epoch: bigint) => Promise.all(items.map((item) => nonceAt(item, epoch)))
  const finalizedNonces = nonces(depths.finalized).catch((error: unknown) => {
    // Nodes without old states cannot answer. Missing landings must be found all the same.
    log.warn('no answer for the finalized epoch, no landing becomes final: check the chain node and chain.finality_epochs', {
      epoch: depths.finalized.toString(),
      error,
    })
    return items.map((): NonceOutcome => ({ landed: false }))
  })
  const [confirmed, finalized] = await Promise.all([nonces(depths.confirmed), finalizedNonces])
  return items.flatMap((item, index) => {
    const [atConfirmed, atFinalized] = [confirmed[index], finalized[index]]
    if (!atConfirmed || !atFinalized) return []
    const reads = { confirmed: atConfirmed, confirmedEpoch: depths.confirmed, finalized: atFinalized }
    const next = nextCheck(deps, { epoch: item.landing.epoch, finalized: depths.finalized, checks: item.checks })
    return [{ item, verdict: judgeLanding(item.landing, reads), next }]
  })
}

/** Outcome of an adopted batch: it was read at the finalized epoch, which no reorganisation changes. */
const outcomeOf = ({ dataSetId, nextPieceId }: Unfinal['landing']): NonceOutcome => ({
  landed: true,
  dataSetId,
  ...(nextPieceId !== null && { nextPieceId }),
})

async function isUnchanged(tx: Tx, { id, landing }: Unfinal): Promise<boolean> {
  const found = (await landedBatches(tx, [id]))[0]?.landing
  return found?.epoch === landing.epoch && found.nextPieceId === landing.nextPieceId && found.dataSetId === landing.dataSetId
}
