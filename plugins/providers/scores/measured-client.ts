import type { Log } from '#kernel'
import type { ProviderClient } from '../client/provider-client.ts'
import type { OpenedPiece, ProviderPieces } from '../client/provider-pieces.ts'
import { type Call, wrapClient } from '../client/wrapped-client.ts'
import type { MeasuredKind } from '../contract/providers.ts'
import { judgeAnswer } from './judge-answer-policy.ts'
import type { MeasuredCall } from './measure-policy.ts'

export type RecordCall = (call: Omit<MeasuredCall, 'atMs'>) => void

const kinds: Partial<Record<Call, MeasuredKind>> = { upload: 'upload', uploadThenName: 'upload', uploadOnly: 'upload', openPiece: 'read' }

/** Logs each answer with its duration, and records what it says about the provider. A ping says only whether the provider is there. */
export const measured = (client: ProviderClient, { log, record }: { readonly log: Log; readonly record: RecordCall }): ProviderClient =>
  wrapClient(client, async (call, send, args) => {
    const startedAtMs = performance.now()
    const answer = await send()
    const ms = performance.now() - startedAtMs
    log.debug('a provider was called', { call, url: client.serviceUrl, answer: answer.kind, ms: Math.round(ms) })
    const judged = call === 'ping' ? undefined : judgeAnswer(call, answer)
    if (judged === undefined) return answer
    const kind = kinds[call] ?? 'other'
    if (judged.failure !== undefined) record({ kind, failure: { call, reason: judged.failure } })
    else if (call === 'openPiece' && answer.kind === 'ok') {
      const [, { signal } = {}] = args as Parameters<ProviderPieces['openPiece']>
      watchRead(answer.value as OpenedPiece, { startedAtMs, signal, record })
    } else record({ kind, transfer: kind === 'upload' ? sentBytes(args, answer, ms) : undefined })
    return answer
  })

/** Returns undefined when the provider had the piece. */
function sentBytes(args: readonly unknown[], answer: object, ms: number): MeasuredCall['transfer'] {
  const [{ body }] = args as Parameters<ProviderPieces['upload']>
  const { value } = answer as { readonly value?: { readonly alreadyStored?: boolean } }
  return value?.alreadyStored ? undefined : { bytes: body.size, ms }
}

interface ReadWatch {
  readonly startedAtMs: number
  readonly signal: AbortSignal | undefined
  readonly record: RecordCall
}

/** Records the read when its stream ends. The caller may abort it, or stop reading earlier: then nothing is known. */
function watchRead({ stream, length = 0 }: OpenedPiece, { startedAtMs, signal, record }: ReadWatch): void {
  stream.once('end', () => record({ kind: 'read', transfer: { bytes: length, ms: performance.now() - startedAtMs } }))
  stream.once('error', () => {
    if (!signal?.aborted) record({ kind: 'read', failure: { call: 'openPiece', reason: 'connection_lost' } })
  })
}
