import { defineProbe, done, type Outcome } from '#kernel'
import type { NotSentCause } from '../chain/provider-error.ts'
import { countSent } from '../chain/sender-nonces.ts'
import { signCreateDataSet } from '../chain/typed-data.ts'
import { judgeOutcome } from '../copies/outcome-policy.ts'
import { judgeRefusal } from '../copies/setback-policy.ts'
import { nextLook, readDepths } from '../finality/look.ts'
import { holderOfChainId, recordCreationLanding, unfinalDataSet } from '../finality/look-store.ts'
import { takeBackCreation } from '../finality/take-back.ts'
import { hasWaitingCopies } from '../finality/take-back-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import {
  type DataSet,
  findDataSet,
  markReady,
  observeCreation,
  recordCreation,
  recordCreationTx,
  reopenCreation,
} from './data-set-store.ts'
import { bucketName, unfinishedContents } from './load-store.ts'
import { planElsewhere } from './plan-elsewhere.ts'
import { waitForTurn } from './provider-turns.ts'

const recorded = defineProbe('storage.dataset.recorded')
const sent = defineProbe('storage.dataset.sent')
const submitted = defineProbe('storage.dataset.submitted')
const ready = defineProbe('storage.dataset.ready')

/** The request ended before its first byte left. */
const neverReceived: ReadonlySet<NotSentCause['reason']> = new Set(['unreachable', 'egress_refused', 'aborted'])

/** Contents whose tasks are woken when their bucket gets a data set; the others wake by themselves. */
const wokenMax = 500

/** One step of creating the data set: safe to repeat from any point. */
export async function ensureDataSet(doors: Pipeline, id: number, signal: AbortSignal): Promise<Outcome> {
  const dataSet = findDataSet(doors.database.read, id)
  if (dataSet?.state === 'planned') return create(doors, dataSet, signal)
  if (dataSet?.state === 'creating') return follow(doors, dataSet, signal)
  return done()
}

async function create(doors: Pipeline, dataSet: DataSet, signal: AbortSignal): Promise<Outcome> {
  const { clock, pace, funds, database, providers, chain, signer } = doors
  const verdict = await funds.canPay({ dataSets: 1, pieces: 0, bytes: 0, heldBytes: 0 })
  if (!verdict.isCovered) return waitFor(clock, 'funding', pace.fundingMs, verdict.message)
  using turn = providers.turns.take(dataSet.serviceUrl, 'mutation')
  if (turn.refusal) return waitForTurn(turn.refusal)
  // A reopened attempt is sent with the bytes it had: its nonce is single-use, so even a late landing stays the only one.
  const extraData = dataSet.createExtraData ?? (await signCreation(doors, dataSet))
  const isOurs = await database.write((tx) => recordCreation(tx, dataSet.id, { extraData, nowMs: clock.now() }))
  if (!isOurs) return waitFor(clock, 'target_creating', pace.creationMs)
  await recorded()
  signal.throwIfAborted()
  const answer = turn.heard(
    await providers.client(dataSet.serviceUrl).createDataSet({ recordKeeper: chain.network.contracts.fwss, extraData }, { signal }),
  )
  await sent()
  if (answer.kind === 'ok') {
    await database.write((tx) => recordCreationTx(tx, dataSet.id, answer.value.txHash, clock.now()))
    await submitted()
    doors.log.info('data set creation submitted', {
      dataSet: dataSet.id,
      provider: dataSet.providerId,
      payer: signer.address,
      tx: answer.value.txHash,
    })
  }
  if (answer.kind !== 'not_sent') return waitFor(clock, 'target_creating', pace.creationMs)
  const setback = judgeRefusal(answer.cause, pace)
  const message = setback.message
  const wasOffered = !neverReceived.has(answer.cause.reason)
  await database.write((tx) => reopenCreation(tx, dataSet.id, { code: answer.cause.reason, message, nowMs: clock.now(), wasOffered }))
  if (setback.kind !== 'wait')
    throw new PipelineFault(
      setback.kind === 'fault' ? setback.code : 'provider_refused',
      `provider ${dataSet.providerId} refused the data set: ${message}`,
    )
  if (setback.reason === 'funding') funds.forget()
  if (!wasOffered && (await planElsewhere(doors, dataSet))) return done()
  return waitFor(clock, setback.reason, setback.forMs, message)
}

async function follow(doors: Pipeline, dataSet: DataSet, signal: AbortSignal): Promise<Outcome> {
  const { clock, pace, database, chain, reads, signer } = doors
  const outcome = await reads.nonceOutcome(signer.address, dataSet.clientDataSetId)
  if (outcome.landed) return begin(doors, dataSet, outcome.dataSetId)
  const hasFailed = await isReportedFailed(doors, dataSet, signal)
  const sender = await countSent(chain, dataSet.providerAddress)
  // The nonce once more, after the count: a transaction that became final in between must not be taken for one that never was.
  const lastWord = await reads.nonceOutcome(signer.address, dataSet.clientDataSetId)
  if (lastWord.landed) return begin(doors, dataSet, lastWord.dataSetId)
  const verdict = judgeOutcome(
    {
      hasLanded: false,
      ageMs: clock.now() - (dataSet.createStartedAtMs ?? clock.now()),
      totalAgeMs: clock.now() - (dataSet.createStartedAtMs ?? clock.now()),
      isReportedFailed: hasFailed,
      sender,
      observedNonce: dataSet.createSenderNonce,
    },
    pace,
  )
  if (verdict.kind === 'observe') await database.write((tx) => observeCreation(tx, dataSet.id, verdict.senderNonce))
  if (verdict.kind === 'not_landed') {
    await database.write((tx) =>
      reopenCreation(tx, dataSet.id, { code: 'not_landed', message: 'the creation did not reach the chain', nowMs: clock.now() }),
    )
    // A transaction that reverts costs the provider each time: it is an attempt, unlike one that was lost on the way.
    if (hasFailed) throw new PipelineFault('chain_reverted', `the creation of data set ${dataSet.id} was sent and failed on chain`)
    return waitFor(clock, 'target_creating', 0)
  }
  return waitFor(clock, 'target_creating', pace.creationMs, 'the creation is not confirmed yet')
}

/** The chain has the data set: from now on it takes pieces, and whatever waited for it goes on. */
async function begin(doors: Pipeline, dataSet: DataSet, chainId: bigint): Promise<Outcome> {
  const { clock, database, schedule } = doors
  const depths = await readDepths(doors)
  await releaseChainId(doors, dataSet, chainId)
  await database.write((tx) => {
    markReady(tx, dataSet.id, chainId, clock.now())
    const next = nextLook(doors, { epoch: depths.confirmed, finalized: depths.finalized, looks: 0 })
    recordCreationLanding(tx, dataSet.id, { epoch: depths.confirmed, next })
    schedule.verifyLandings(tx, next.atMs)
    // Batches of a data set that a reorganisation took back and that is here again.
    if (hasWaitingCopies(tx, dataSet.id)) schedule.commit(tx, dataSet.id)
    for (const contentId of unfinishedContents(tx, dataSet.bucketId, wokenMax)) schedule.store(tx, contentId)
  })
  await ready()
  doors.funds.forget()
  doors.log.info('data set ready', { dataSet: dataSet.id, chainId: chainId.toString(), provider: dataSet.providerId })
  return done()
}

/** Another data set of ours had this id on chain before a reorganisation: its own nonce decides where it is now. */
async function releaseChainId(doors: Pipeline, dataSet: DataSet, chainId: bigint): Promise<void> {
  const { read } = doors.database
  const holder = holderOfChainId(read, chainId, dataSet.id)
  if (holder === undefined) return
  const displaced = unfinalDataSet(read, holder)
  if (displaced && (await takeBackCreation(doors, displaced, `the chain gave its id to data set ${dataSet.id}`))) return
  throw new PipelineFault(
    'data_set_id_taken',
    `the chain gave data set ${dataSet.id} the id ${chainId}, which data set ${holder} has on record`,
  )
}

async function isReportedFailed(doors: Pipeline, dataSet: DataSet, signal: AbortSignal): Promise<boolean> {
  if (!dataSet.createTx) return false
  using turn = doors.providers.turns.take(dataSet.serviceUrl, 'mutation')
  // The chain decides without the provider's word, only later.
  if (turn.refusal) return false
  const status = turn.heard(await doors.providers.client(dataSet.serviceUrl).creationStatus(dataSet.createTx, { signal }))
  return status.kind === 'ok' && status.value.state === 'failed'
}

async function signCreation({ chain, signer, settings, database }: Pipeline, dataSet: DataSet): Promise<`0x${string}`> {
  // In the order in which they are signed and sent: by key.
  const metadata = [
    { key: 'bucket', value: bucketName(database.read, dataSet.bucketId) },
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
