/** @walk copies 3: creates the data set of a slot before its first use */
import { defineProbe, done, fail, type Outcome } from '#kernel'
import { type NotSentCause, type SubmissionAnswer, type Submitted, waitForTurn } from '#plugins/providers'
import { sendAttempt, settleAttempt } from '#plugins/wallet'
import { signCreateDataSet } from '../chain/typed-data.ts'
import { nextCheck, readDepths } from '../finality/landing-checks.ts'
import { holderOfChainId, recordCreationLanding, unfinalDataSet } from '../finality/landing-store.ts'
import { type RollBackDeps, rollBackCreation } from '../finality/roll-back.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { whyUnpaid } from '../spending/spend-limits.ts'
import { mustEnd } from '../states/follow-store.ts'
import { isReportedFailed } from '../submissions/provider-report.ts'
import { countSent } from '../submissions/sender-nonces.ts'
import { judgeRefusal } from '../submissions/setback-policy.ts'
import { observeCreation, recordCreationTx } from './creation-store.ts'
import { type DataSet, findDataSet } from './data-set-store.ts'
import { findForeignDataSet } from './foreign-data-set.ts'
import { bucketName } from './load-store.ts'
import { planAtOtherProvider } from './plan-at-other-provider.ts'
import { writeLimited } from './price-list-store.ts'

type EnsureDataSetDeps = RollBackDeps & Pick<Pipeline, 'chain' | 'funds' | 'pace' | 'providers' | 'reads' | 'settings' | 'signer'>

const recorded = defineProbe('storage.dataset.recorded')
const sent = defineProbe('storage.dataset.sent')
const submitted = defineProbe('storage.dataset.submitted')
const ready = defineProbe('storage.dataset.ready')

/** Causes where no byte of the request was sent. */
const neverReceived: ReadonlySet<NotSentCause['reason']> = new Set(['unreachable', 'egress_refused', 'aborted'])

const creation = { dataSets: 1, pieces: 0, bytes: 0, heldBytes: 0 } as const

/** One step of the creation. Safe to repeat from any point. */
export async function ensureDataSet(deps: EnsureDataSetDeps, id: number, signal: AbortSignal): Promise<Outcome> {
  const dataSet = await findDataSet(deps.database.read, id)
  if (dataSet?.state === 'planned') return create(deps, dataSet, signal)
  if (dataSet?.state === 'creating') return follow(deps, dataSet, signal)
  return done()
}

async function create(deps: EnsureDataSetDeps, dataSet: DataSet, signal: AbortSignal): Promise<Outcome> {
  const { clock, pace, database, providers, chain, schedule, states } = deps
  // The bucket was deleted: nothing is created any more.
  if (await mustEnd(database.read, dataSet.id)) {
    await database.write((tx) => schedule.end(tx, dataSet.id))
    return done()
  }
  const taken = await findForeignDataSet(deps, dataSet)
  if (taken) return fail('target_in_use', taken, { retryable: false })
  const unpaid = await whyUnpaid(deps, creation)
  if (unpaid) return waitFor(clock, unpaid.reason, pace.fundingMs, unpaid.message)
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) return waitForTurn(turn.refusal)
  // A reopened attempt is sent with the same bytes: its nonce is single-use, so a late landing is still the only one.
  const extraData = dataSet.createExtraData ?? (await signCreation(deps, dataSet))
  const outcome = await sendAttempt<true, SubmissionAnswer<Submitted>, Outcome>({
    probes: { recorded, sent },
    record: () =>
      writeLimited(deps, creation, (tx, priceList) => states.dataSets.apply(tx, 'creation_recorded', dataSet.id, { extraData, priceList })),
    send: async () => {
      signal.throwIfAborted()
      return turn.client.createDataSet({ recordKeeper: chain.network.contracts.fwss, extraData }, { signal })
    },
    answered: async (answer) => {
      if (answer.kind === 'ok') await recordAccepted(deps, dataSet, answer.value.txHash)
      return waitFor(clock, 'target_creating', pace.creationMs)
    },
    notSent: ({ cause }) => handleRefusal(deps, dataSet, cause),
  })
  return outcome ?? waitFor(clock, 'target_creating', pace.creationMs)
}

async function recordAccepted({ database, clock, log, signer }: EnsureDataSetDeps, dataSet: DataSet, txHash: string): Promise<void> {
  await database.write((tx) => recordCreationTx(tx, dataSet.id, txHash, clock.now()))
  await submitted()
  log.info('data set creation submitted', { dataSet: dataSet.id, provider: dataSet.providerId, payer: signer.address, tx: txHash })
}

async function handleRefusal(deps: EnsureDataSetDeps, dataSet: DataSet, cause: NotSentCause): Promise<Outcome> {
  const { clock, pace, funds, database, states } = deps
  const setback = judgeRefusal(cause, pace)
  const message = setback.message
  const wasOffered = !neverReceived.has(cause.reason)
  await database.write((tx) => states.dataSets.apply(tx, 'creation_refused', dataSet.id, { code: cause.reason, message, wasOffered }))
  if (setback.kind !== 'wait')
    throw new PipelineFault(
      setback.kind === 'fault' ? setback.code : 'provider_refused',
      `provider ${dataSet.providerId} refused the data set: ${message}`,
    )
  if (setback.reason === 'funding') funds.forget()
  if (!wasOffered && (await planAtOtherProvider(deps, dataSet))) return done()
  return waitFor(clock, setback.reason, setback.forMs, message)
}

/** Looks up the outcome of the creation on chain. */
async function follow(deps: EnsureDataSetDeps, dataSet: DataSet, signal: AbortSignal): Promise<Outcome> {
  const { clock, pace, database, chain, reads, signer } = deps
  const { createTx, createStartedAtMs } = dataSet
  return settleAttempt<bigint, Outcome>({
    state: createTx === null ? 'recorded' : 'submitted',
    now: clock.now,
    lookUp: async () => {
      const outcome = await reads.nonceOutcome(signer.address, dataSet.clientDataSetId)
      return outcome.landed ? { kind: 'landed', final: outcome.dataSetId } : { kind: 'open' }
    },
    evidence: {
      sentAtMs: createStartedAtMs,
      observedNonce: dataSet.createSenderNonce,
      limits: pace,
      isReportedFailed: async () =>
        createTx !== null && isReportedFailed(deps, dataSet.serviceUrl, (client) => client.creationStatus(createTx, { signal })),
      countSent: () => countSent(chain, dataSet.providerAddress),
    },
    settled: (chainId) => begin(deps, dataSet, chainId),
    reopened: (why) => reopen(deps, dataSet, why),
    undecided: async ({ observe }) => {
      if (observe !== undefined) await database.write((tx) => observeCreation(tx, dataSet.id, observe))
      return waitFor(clock, 'target_creating', pace.creationMs, 'the creation is not confirmed yet')
    },
  })
}

async function reopen(
  { clock, database, states }: EnsureDataSetDeps,
  dataSet: DataSet,
  { isReportedFailed }: { readonly isReportedFailed: boolean },
): Promise<Outcome> {
  const why = { code: 'not_landed', message: 'the creation did not reach the chain' }
  await database.write((tx) => states.dataSets.apply(tx, 'creation_not_landed', dataSet.id, why))
  // A reverted transaction costs the provider gas: it counts as an attempt, unlike one that did not reach the chain.
  if (isReportedFailed) throw new PipelineFault('chain_reverted', `the creation of data set ${dataSet.id} was sent and failed on chain`)
  return waitFor(clock, 'target_creating', 0)
}

/** The creation landed: the data set takes pieces, and tasks that waited for it are enqueued. */
async function begin(deps: EnsureDataSetDeps, dataSet: DataSet, chainId: bigint): Promise<Outcome> {
  const { database, schedule, states } = deps
  const depths = await readDepths(deps)
  await releaseChainId(deps, dataSet, chainId)
  await database.write(async (tx) => {
    await states.dataSets.apply(tx, 'created', dataSet.id, { chainId })
    const next = nextCheck(deps, { epoch: depths.confirmed, finalized: depths.finalized, checks: 0 })
    await recordCreationLanding(tx, dataSet.id, { epoch: depths.confirmed, next })
    await schedule.verifyLandings(tx, next.atMs)
  })
  await ready()
  deps.log.info('data set ready', { dataSet: dataSet.id, chainId: chainId.toString(), provider: dataSet.providerId })
  return done()
}

/** Before a reorganisation another data set of ours had this id: its own nonce decides its new one. */
async function releaseChainId(deps: EnsureDataSetDeps, dataSet: DataSet, chainId: bigint): Promise<void> {
  const { holder, displaced } = await deps.database.snapshot(async (read) => {
    const holder = await holderOfChainId(read, chainId, dataSet.id)
    return { holder, displaced: holder === undefined ? undefined : await unfinalDataSet(read, holder) }
  })
  if (holder === undefined) return
  if (displaced && (await rollBackCreation(deps, displaced, `the chain gave its id to data set ${dataSet.id}`))) return
  throw new PipelineFault(
    'data_set_id_taken',
    `the chain gave data set ${dataSet.id} the id ${chainId}, which is recorded for data set ${holder}`,
  )
}

async function signCreation({ chain, signer, settings, database }: EnsureDataSetDeps, dataSet: DataSet): Promise<`0x${string}`> {
  // Sorted by key: the order in which they are signed and sent.
  const metadata = [
    { key: 'bucket', value: await bucketName(database.read, dataSet.bucketId) },
    { key: 'source', value: 'svc' },
  ]
  if (settings.with_cdn) metadata.push({ key: 'withCDN', value: '' })
  return signCreateDataSet({
    account: signer,
    domain: { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss },
    clientDataSetId: dataSet.clientDataSetId,
    payee: dataSet.payee,
    metadata,
  })
}
