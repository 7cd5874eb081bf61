import type { EgressOptions } from '#plugins/wallet'
import { notSent, type ProviderAnswer } from './provider-answer.ts'
import { openProviderClient } from './provider-client.ts'

type PingAnswer = ProviderAnswer<{ readonly elapsedMs: number }>

const pingsAtOnceUsual = 10

/** Pings once, with a client of its own. `timeoutMs`: for DNS lookup, connection and response together. Redirects are failures. */
export async function pingProvider(
  serviceUrl: string,
  { timeoutMs, egress }: { readonly timeoutMs: number; readonly egress: EgressOptions },
): Promise<PingAnswer> {
  if (!URL.canParse(serviceUrl)) return notSent({ reason: 'egress_refused', refusal: 'invalid_url', detail: 'not a URL' })
  const client = openProviderClient(serviceUrl, { ...egress, timeLimits: { ping: timeoutMs, connect: timeoutMs } })
  try {
    return await client.ping()
  } finally {
    client.close()
  }
}

/** Pings providers in their order. Those without an answer in the result were not asked within `limitMs`; the last pings may end later. */
export async function pingAll<P>(
  providers: readonly P[],
  ping: (provider: P) => Promise<PingAnswer>,
  { limitMs = Number.POSITIVE_INFINITY, atOnce = pingsAtOnceUsual }: { readonly limitMs?: number; readonly atOnce?: number } = {},
): Promise<ReadonlyMap<P, PingAnswer>> {
  const answers = new Map<P, PingAnswer>()
  const startedAtMs = performance.now()
  const waiting = [...providers]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      answers.set(next, await ping(next))
      if (performance.now() - startedAtMs > limitMs) return
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, providers.length) }, work))
  return answers
}
