/** @walk copies 5: waits until the provider has stored them */
import type { Outcome } from '#kernel'
import { type Turn, waitForTurn } from '#plugins/providers'
import { type Pipeline, PipelineFault, type Wait, waitFor } from '../../pipeline.ts'
import { copiesOf, type PipelineContent } from '../records/copy-store.ts'
import { doneWhenPlanned, held, type Ingress } from './ingress.ts'
import { type ParkCopiesDeps, parkCopies } from './park-copies.ts'

export type AwaitParkingDeps = ParkCopiesDeps & Pick<Pipeline, 'clock' | 'pace' | 'providers'>

/** Reason of a store task whose piece the park task of the data set looks up. */
export const storingReason = 'provider_storing'

/** A provider that may not be called now counts as one that does not answer. */
const notCalled = { kind: 'not_called' } as const

/** The park task completes the store task when the provider has stored the piece; after the limit the store task continues. */
export const waitForParking = ({ clock, pace }: Pick<Pipeline, 'clock' | 'pace'>, uploadedAtMs: number): Wait =>
  waitFor(clock, storingReason, Math.max(0, uploadedAtMs + pace.parkingLimitMs + 1 - clock.now()))

/** Looks up an uploaded piece once. After the limit the bytes go to another provider. */
export async function awaitParking(
  deps: AwaitParkingDeps,
  content: PipelineContent & { readonly pieceCid: string },
  ingress: Ingress & { readonly turn: Turn },
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, states } = deps
  const { turn } = ingress
  if (turn.refusal?.reason === 'provider_busy') return waitForTurn(turn.refusal)
  const answer = turn.refusal ? notCalled : await turn.client.findPiece(content.pieceCid, { signal })
  if (answer.kind === 'ok' && answer.value.isFound) {
    await parkCopies(deps, [ingress.copy.id])
    return doneWhenPlanned(deps, content, await copiesOf(database.read, content.contentId))
  }
  const uploadedAtMs = ingress.copy.uploadedAtMs ?? clock.now()
  const noAnswer = 'the provider does not answer'
  if (clock.now() - uploadedAtMs <= pace.parkingLimitMs) {
    const hold = waitForParking(deps, uploadedAtMs)
    return answer.kind === 'ok' ? hold : { ...hold, reason: 'provider', message: noAnswer }
  }
  // Another provider may get the bytes: do not wait longer for this one.
  const [code, message] =
    answer.kind === 'ok' ? ['never_parked', 'the provider never stored the bytes it accepted'] : ['unreachable', noAnswer]
  const setback = { code, message, retryAtMs: clock.now() + pace.providerMs }
  // The park task may have parked it since the lookup.
  const returned = await database.write((tx) => states.copies.apply(tx, 'upload_failed', held(ingress.copy), setback))
  if (returned.length === 0) return waitFor(clock, 'retry', 0)
  if (answer.kind !== 'ok') return waitFor(clock, 'provider', 0, message)
  throw new PipelineFault(code, `provider ${ingress.dataSet.providerId}: ${message}`)
}
