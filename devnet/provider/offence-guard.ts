// Refuses PDP requests for a while after repeated additions to data sets that are not of this provider.
import type { FastifyInstance } from 'fastify'
import type { ProviderContext } from './context.ts'
import { refusal } from './refusal.ts'

const OFFENCES_MAX = 5
const WINDOW_MS = 60_000

export interface OffenceGuard {
  /** Counts one such request and deletes the unclaimed pieces that it names. */
  record(json: unknown): void
  /** Refuses all PDP requests while blocked. */
  guard(app: FastifyInstance): void
}

/** One count for all clients, because they have the same address. */
export function createOffenceGuard({ pieces, settings }: Pick<ProviderContext, 'pieces' | 'settings'>): OffenceGuard {
  let offencesAtMs: number[] = []
  let blockedUntilMs = 0
  return {
    record(json) {
      const now = Date.now()
      offencesAtMs = [...offencesAtMs.filter((at) => at > now - WINDOW_MS), now]
      if (offencesAtMs.length >= OFFENCES_MAX) blockedUntilMs = now + settings.offenceBlockMs
      const unclaimed = new Set(pieces.listUnclaimed(0))
      for (const pieceCid of pieceCidsIn(json)) if (unclaimed.has(pieceCid)) pieces.remove(pieceCid)
    },
    guard(app) {
      app.addHook('onRequest', async (request) => {
        if (!request.url.startsWith('/pdp/') || Date.now() >= blockedUntilMs) return
        throw refusal(429, 'Too many requests', {
          headers: { 'retry-after': String(Math.ceil((blockedUntilMs - Date.now()) / 1000)) },
        })
      })
    },
  }
}

function pieceCidsIn(json: unknown): string[] {
  if (typeof json !== 'object' || json === null || !('pieces' in json) || !Array.isArray(json.pieces)) return []
  return json.pieces.flatMap((piece: unknown) =>
    typeof piece === 'object' && piece !== null && 'pieceCid' in piece && typeof piece.pieceCid === 'string' ? [piece.pieceCid] : [],
  )
}
