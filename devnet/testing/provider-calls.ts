// Requests to the provider API and waits for their results, for tests.
import { setTimeout as delay } from 'node:timers/promises'
import { createPieceHasher, pieceCidOf } from '../../plugins/replication/testing/pieces.ts'
import type { Devnet } from '../devnet.ts'

const POLL_MS = 25
const TIMEOUT_MS = 60_000

export const whole = (pieceCids: readonly string[]) => pieceCids.map((pieceCid) => ({ pieceCid, subPieces: [{ subPieceCid: pieceCid }] }))

export function send(method: string, url: string, body?: unknown): Promise<Response> {
  return fetch(url, { method, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }) })
}

export function pieceCidOfBytes(bytes: Uint8Array): string {
  const hasher = createPieceHasher()
  hasher.update(bytes)
  return pieceCidOf(hasher.digest())
}

/** The Location of a 201. @throws Error with the answer for another status */
export async function locationOf(base: string, answer: Response): Promise<string> {
  const text = await answer.text()
  const location = answer.headers.get('location')
  if (answer.status !== 201 || location === null) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
  return new URL(location, base).href
}

/** Uploads and finalises; the provider may find the piece only later. */
export async function upload(base: string, bytes: Uint8Array): Promise<string> {
  const session = await locationOf(base, await send('POST', `${base}/pdp/piece/uploads`))
  const stored = await fetch(session, { method: 'PUT', body: Buffer.from(bytes) })
  if (stored.status !== 204) throw new Error(`upload answered ${stored.status}: ${await stored.text()}`)
  const pieceCid = pieceCidOfBytes(bytes)
  const finalised = await send('POST', session, { pieceCid })
  if (finalised.status !== 200) throw new Error(`finalising answered ${finalised.status}: ${await finalised.text()}`)
  return pieceCid
}

/** Uploads and waits until the provider finds the piece. */
export async function store(base: string, bytes: Uint8Array): Promise<string> {
  const pieceCid = await upload(base, bytes)
  await until('the piece is found', async () => (await fetch(`${base}/pdp/piece?pieceCid=${pieceCid}`)).status === 200)
  return pieceCid
}

interface StatusAnswer {
  readonly txStatus: string
  readonly ok?: boolean | null
  readonly addMessageOk?: boolean | null
  readonly dataSetCreated?: boolean
  readonly piecesAdded?: boolean
  readonly dataSetId?: number
  readonly confirmedPieceIds?: readonly number[]
}

/** Waits until the transaction is processed or has failed, and returns its status. */
export async function outcome(statusUrl: string): Promise<StatusAnswer> {
  let last: StatusAnswer = { txStatus: 'unknown' }
  await until(`the outcome at ${statusUrl}`, async () => {
    const answer = await fetch(statusUrl)
    if (answer.status === 404) return false
    last = (await answer.json()) as StatusAnswer
    return isFinal(last)
  })
  return last
}

function isFinal({ txStatus, ok, addMessageOk, dataSetCreated, piecesAdded }: StatusAnswer): boolean {
  return Boolean(dataSetCreated || piecesAdded || ok === false || addMessageOk === false || txStatus === 'failed' || txStatus === 'reorged')
}

/** @throws Error with `what` after 60 s */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await delay(POLL_MS)) if (await isTrue()) return
  throw new Error(`timeout after ${TIMEOUT_MS} ms: ${what}`)
}

/** Mines blocks until the condition holds, so that proving periods pass quickly. */
export async function mineUntil(devnet: Devnet, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  await until(what, async () => {
    if (await isTrue()) return true
    await devnet.chain.mine()
    return false
  })
}
