/** One round of the automatic repair: what is wrong, what is lost, and which replica moves. */
import { type Clock, type Database, defineProbe, type Log, newUlid, SvcError, type Tx } from '#kernel'
import type { Providers } from '#plugins/providers'
import type { DataSetFacts, Placements, ProviderDependences, Standings } from '#plugins/replication'
import type { Buckets } from '#plugins/storage'
import { type ChainSettings, costPolicy, type Funds } from '#plugins/wallet'
import type { Replacement } from '../contract/records.ts'
import type { Replacements } from '../contract.ts'
import { endedStatuses, replacementStatuses } from '../states/replacement-transitions-policy.ts'
import { dayOf, decide, isAboveCeiling, perRoundMax, retryMs } from './decide-policy.ts'
import {
  addDecision,
  endSignal,
  feesSince,
  keepSignal,
  listSignals,
  markDecided,
  markLosses,
  type NewDecision,
  type StoredSignal,
  supersededBy,
} from './repair-store.ts'
import { isCertain, notedMsMin, observe, type RepairSignal, sinceOf } from './signal-policy.ts'

export interface RepairDeps {
  readonly clock: Clock
  readonly database: Database
  readonly log: Log
  readonly buckets: Pick<Buckets, 'list'>
  readonly chainSettings: Pick<ChainSettings, 'with_cdn'>
  readonly dependences: Pick<ProviderDependences, 'lossesOf'>
  readonly funds: Pick<Funds, 'view'>
  readonly placements: Pick<Placements, 'dataSetsOf'>
  readonly providers: Pick<Providers, 'inventory'>
  readonly replacements: Pick<Replacements, 'confirm' | 'list'>
  readonly settings: { readonly auto: boolean; readonly daily_spend_limit: string; readonly provider_down_after: number }
  readonly standings: Pick<Standings, 'listDataSets'>
  /** A ping that is older says nothing about its provider. */
  readonly pingKeptMs: number
  /** @throws when another round runs by now */
  holdLease(tx: Tx): Promise<void>
}

/** A data set with a signal. */
interface Faulty {
  readonly dataSet: DataSetFacts
  readonly signal: RepairSignal
  readonly sinceMs: number
  readonly stored: StoredSignal | undefined
}

/** Losses of a data set are counted again after this time: another one of its contents may lose its last copy elsewhere. */
const lossesMs = 60 * 60_000

const confirmed = defineProbe('replacement.repair.confirmed')

export async function repairRound(deps: RepairDeps, signal: AbortSignal): Promise<void> {
  const faulty = await look(deps)
  for (const fault of faulty) {
    signal.throwIfAborted()
    await reportLosses(deps, fault)
  }
  if (!deps.settings.auto) return
  let repaired = 0
  for (const fault of faulty) {
    signal.throwIfAborted()
    if (repaired < perRoundMax && isDue(deps, fault) && (await repair(deps, fault))) repaired += 1
  }
}

/** Records what every current data set shows now. Returns those with a fault, the longest one first. */
async function look(deps: RepairDeps): Promise<readonly Faulty[]> {
  const { clock, database, buckets, providers, standings, pingKeptMs } = deps
  const nowMs = clock.now()
  const present = new Set(buckets.list().map(({ id }) => id))
  const stored = new Map((await listSignals(database.read)).map((row) => [row.dataSetId, row]))
  const inventory = await providers.inventory()
  const dataSets = (await standings.listDataSets({})).filter(({ bucketId, isCurrent }) => isCurrent && present.has(bucketId))
  const faulty: Faulty[] = []
  for (const dataSet of dataSets) {
    const known = stored.get(dataSet.id)
    stored.delete(dataSet.id)
    const seen = observe(dataSet, { nowMs, pingKeptMs, providers: inventory.providers })
    if (seen === 'unknown') continue
    if (seen === 'fine') {
      if (known) await database.write((tx) => recover(deps, tx, dataSet, known))
      continue
    }
    const sinceMs = sinceOf(known, nowMs)
    await database.write((tx) => keepSignal(tx, { dataSetId: dataSet.id, signal: seen, sinceMs, nowMs }))
    faulty.push({ dataSet, signal: seen, sinceMs, stored: known })
  }
  // Their slot has another data set by now, or their bucket was deleted.
  for (const dataSetId of stored.keys()) await database.write((tx) => endSignal(tx, dataSetId))
  return faulty.toSorted((a, b) => a.sinceMs - b.sinceMs)
}

const isDue = ({ clock, settings }: RepairDeps, { dataSet, signal, sinceMs, stored }: Faulty): boolean =>
  (isCertain(signal, dataSet) || clock.now() - sinceMs >= settings.provider_down_after) && (stored?.nextAtMs ?? 0) <= clock.now()

type Subject = Pick<NewDecision, 'signal' | 'sinceMs'>

const decisionOf = (
  { clock }: Pick<RepairDeps, 'clock'>,
  dataSet: DataSetFacts,
  { signal, sinceMs }: Subject,
): Omit<NewDecision, 'action' | 'reason' | 'message'> => ({
  atMs: clock.now(),
  signal,
  sinceMs,
  providerId: dataSet.providerId,
  bucketId: dataSet.bucketId,
  bucketName: dataSet.bucketName,
  dataSetId: dataSet.id,
  slot: dataSet.copyIndex,
  replacementId: null,
  fee: null,
  lost: null,
})

/** The fault has ended by itself: a provider that comes and goes is left alone, and the list says so. */
async function recover(deps: RepairDeps, tx: Tx, dataSet: DataSetFacts, known: StoredSignal): Promise<void> {
  await endSignal(tx, dataSet.id)
  const lastedMs = deps.clock.now() - known.sinceMs
  if (!deps.settings.auto || lastedMs < notedMsMin) return
  const message = `the fault ended by itself after ${Math.round(lastedMs / 60_000)} minutes; the replica was left where it is`
  await addDecision(tx, { ...decisionOf(deps, dataSet, known), action: 'left_alone', reason: 'recovered', message })
}

/** A loss is reported when it is first seen, and again when it grows, whether repairs are on or not. */
async function reportLosses(deps: RepairDeps, fault: Faulty): Promise<void> {
  const { clock, database, dependences, log } = deps
  const { dataSet, signal, stored } = fault
  const hasLosses = signal === 'data_set_lost' || dataSet.missingCopies + dataSet.wrongCopies > 0
  if (!hasLosses || clock.now() - (stored?.lossesAtMs ?? 0) < lossesMs) return
  const lost = await dependences.lossesOf(dataSet.id)
  await database.write(async (tx) => {
    await markLosses(tx, { dataSetId: dataSet.id, contents: lost.contents, nowMs: clock.now() })
    if (lost.contents <= (stored?.lostContents ?? 0)) return
    const message = `${lost.contents} contents (${lost.bytes} bytes) have no readable copy and are not cached; upload their objects again`
    await addDecision(tx, { ...decisionOf(deps, dataSet, fault), action: 'loss', reason: 'last_copy_lost', message, lost })
    tx.afterCommit(() => log.error('contents are lost', { bucket: dataSet.bucketName, dataSet: dataSet.id, contents: lost.contents }))
  })
}

class RepairRefused extends Error {
  override readonly name = 'RepairRefused'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const openStatuses = replacementStatuses.filter((status) => !endedStatuses.includes(status))
/** Unfinished replacements that are read: more of them leave no turn for a repair. */
const openRead = 1000

/** Returns whether a replacement was confirmed. */
async function repair(deps: RepairDeps, fault: Faulty): Promise<boolean> {
  const { replacements } = deps
  const { bucketId, copyIndex } = fault.dataSet
  const unfinished = await replacements.list({ statuses: openStatuses, limit: openRead })
  const verdict = decide({
    open: unfinished.find((one) => one.bucketId === bucketId && one.slot === copyIndex),
    openRepairs: unfinished.filter(({ origin, status }) => origin === 'repair' && status !== 'failed').length,
  })
  if (verdict.kind === 'rest') return false
  if (verdict.kind === 'refuse') return refuse(deps, fault, verdict)
  const fee = await estimateFee(deps, fault.dataSet)
  if (fee === undefined) return false
  try {
    await replacements.confirm(
      {
        bucketId,
        dataSetId: fault.dataSet.id,
        mode: 'automatic',
        clientRequestId: `repair-${newUlid(deps.clock.now())}`,
        origin: 'repair',
      },
      (tx, replacement) => record(deps, tx, { fault, fee, replacement }),
    )
  } catch (error) {
    if (!(error instanceof RepairRefused) && !(error instanceof SvcError)) throw error
    return refuse(deps, fault, { reason: error.code, message: error.message })
  }
  await confirmed()
  return true
}

interface Confirmed {
  readonly fault: Faulty
  readonly fee: bigint
  readonly replacement: Replacement
}

/** Writes the decision in the transaction that adds the replacement: the ceiling of the day holds, and no replacement of an operator is superseded. */
async function record(deps: RepairDeps, tx: Tx, { fault, fee, replacement }: Confirmed): Promise<void> {
  // I-06: the service that confirms has the plain database.
  await deps.holdLease(tx)
  const { clock, settings, log } = deps
  const { dataSet, signal } = fault
  if ((await supersededBy(tx, replacement.id))?.origin === 'operator')
    throw new RepairRefused('replacement_active', 'an operator confirmed a replacement of the replica')
  const { parseUsdfc, formatUsdfc } = await costPolicy()
  const limit = parseUsdfc(settings.daily_spend_limit)
  const spent = await feesSince(tx, dayOf(clock.now()))
  if (isAboveCeiling(limit.isValid ? limit.baseUnits : undefined, spent, fee))
    throw new RepairRefused(
      'spend_ceiling',
      `its estimated fees of ${formatUsdfc(fee)} USDFC and the ${formatUsdfc(spent)} of earlier repairs of the day are above repair.daily_spend_limit (${settings.daily_spend_limit})`,
    )
  const message = `moves to provider ${replacement.providerId}: ${reasonText[signal]}`
  await addDecision(tx, {
    ...decisionOf(deps, dataSet, fault),
    action: 'replaced',
    reason: signal,
    message,
    replacementId: replacement.id,
    fee,
  })
  await markDecided(tx, { dataSetId: dataSet.id, reason: signal, nextAtMs: clock.now() + retryMs })
  tx.afterCommit(() =>
    log.warn('a replica is repaired', { bucket: dataSet.bucketName, dataSet: dataSet.id, signal, replacement: replacement.id }),
  )
}

const reasonText: Readonly<Record<RepairSignal, string>> = {
  data_set_lost: 'the chain does not have its data set any more',
  service_ended: 'the service of its data set was ended by someone else',
  proving_missed: 'its data set misses its proofs',
  provider_down: 'its provider does not answer',
  copies_denied: 'its provider denies many of its pieces',
}

/** Records why the replica is not repaired now, unless the last decision says the same, and tries again later. */
async function refuse(
  deps: RepairDeps,
  fault: Faulty,
  { reason, message }: { readonly reason: string; readonly message: string },
): Promise<false> {
  const { clock, database } = deps
  const { dataSet, stored } = fault
  await database.write(async (tx) => {
    if (stored?.lastReason !== reason) await addDecision(tx, { ...decisionOf(deps, dataSet, fault), action: 'refused', reason, message })
    await markDecided(tx, { dataSetId: dataSet.id, reason, nextAtMs: clock.now() + retryMs })
  })
  return false
}

/** One-time fees at most: a new data set with as many pieces as the fullest one of the bucket. Undefined while the prices cannot be read. */
async function estimateFee({ funds, placements, chainSettings }: RepairDeps, { bucketId }: DataSetFacts): Promise<bigint | undefined> {
  const view = await funds.view()
  if (!view) return undefined
  const policy = await costPolicy()
  const pieces = Math.max(0, ...(await placements.dataSetsOf([bucketId])).map(({ committedCopies }) => committedCopies))
  const addition = { isNewDataSet: true, hasCdn: chainSettings.with_cdn, currentBytes: 0n, addedBytes: 0n, pieces, calls: pieces }
  return policy.estimateAdditions([addition], view.prices, view.account).fees + view.prices.terminateFee
}
