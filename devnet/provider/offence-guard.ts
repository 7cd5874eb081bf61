// Closes the PDP routes for a while to a client that keeps adding to data sets it has no business with.
import type { FastifyInstance } from 'fastify'
import type { ProviderContext } from './context.ts'
import { refusal } from './refusal.ts'

const OFFENCES_MAX = 5
const WINDOW_MS = 60_000

export interface OffenceGuard {
  /** Counts one such request; the unclaimed pieces it names are discarded. */
  record(json: unknown): void
  /** Refuses every PDP request while closed. */
  guard(app: FastifyInstance): void
}

/** All clients of a devnet have one address, so there is one count. */
export function createOffenceGuard({ pieces, settings }: Pick<ProviderContext, 'pieces' | 'settings'>): OffenceGuard {
  let offencesAtMs: number[] = []
  let closedUntilMs = 0
  return {
    record(json) {
      const now = Date.now()
      offencesAtMs = [...offencesAtMs.filter((at) => at > now - WINDOW_MS), now]
      if (offencesAtMs.length >= OFFENCES_MAX) closedUntilMs = now + settings.offenceBlockMs
      const unclaimed = new Set(pieces.listUnclaimed(0))
      for (const pieceCid of pieceCidsIn(json)) if (unclaimed.has(pieceCid)) pieces.remove(pieceCid)
    },
    guard(app) {
      app.addHook('onRequest', async (request) => {
        if (!request.url.startsWith('/pdp/') || Date.now() >= closedUntilMs) return
        throw refusal(429, 'Too many requests', {
          headers: { 'retry-after': String(Math.ceil((closedUntilMs - Date.now()) / 1000)) },
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
