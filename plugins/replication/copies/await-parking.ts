import { defineProbe, type Outcome } from '#kernel'
import { type Turn, waitForTurn } from '../datasets/provider-turns.ts'
import { recountContent } from '../holdings/recount-content.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { copiesOf, markParked, type PipelineContent, returnToPlanned } from './copy-store.ts'
import { doneWhenPlanned, held, type Ingress } from './ingress.ts'

const parked = defineProbe('storage.store.parked')

/** A provider that may not be called now counts as one that does not answer. */
const notCalled = { kind: 'not_called' } as const

export async function awaitParking(
  deps: Pipeline,
  content: PipelineContent & { readonly pieceCid: string },
  ingress: Ingress & { readonly turn: Turn },
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, providers } = deps
  const { turn } = ingress
  if (turn.refusal?.reason === 'provider_busy') return waitForTurn(turn.refusal)
  const client = providers.client(ingress.dataSet.serviceUrl)
  const answer = turn.refusal ? notCalled : turn.record(await client.findPiece(content.pieceCid, { signal }))
  if (answer.kind === 'ok' && answer.value.isFound) {
    await park(deps, content, ingress)
    return doneWhenPlanned(deps, content, await copiesOf(database.read, content.contentId))
  }
  const sinceMs = clock.now() - (ingress.copy.uploadedAtMs ?? clock.now())
  const noAnswer = 'the provider does not answer'
  if (sinceMs <= pace.parkingLimitMs)
    return answer.kind === 'ok' ? waitFor(clock, 'provider_storing', pace.parkingMs) : waitFor(clock, 'provider', pace.providerMs, noAnswer)
  // Another provider may get the bytes: do not wait longer for this one.
  const [code, message] =
    answer.kind === 'ok' ? ['never_parked', 'the provider never stored the bytes it accepted'] : ['unreachable', noAnswer]
  const nowMs = clock.now()
  await database.write((tx) => returnToPlanned(tx, held(ingress.copy), { code, message, nowMs, retryAtMs: nowMs + pace.providerMs }))
  if (answer.kind !== 'ok') return waitFor(clock, 'provider', 0, message)
  throw new PipelineFault(code, `provider ${ingress.dataSet.providerId}: ${message}`)
}

async function park(deps: Pipeline, content: PipelineContent, { copy, dataSet }: Ingress): Promise<void> {
  const { database, clock, pace, schedule } = deps
  const copies = await copiesOf(database.read, content.contentId)
  const soonMs = clock.now() + pace.batchingWindowMs
  await database.write(async (tx) => {
    await markParked(tx, held(copy), clock.now())
    await recountContent(deps, tx, content.contentId, clock.now())
    await schedule.commit(tx, dataSet.id, soonMs)
    for (const other of copies) if (other.id !== copy.id && other.state === 'planned') await schedule.pull(tx, other.dataSetId, soonMs)
  })
  deps.progressed()
  await parked()
}
