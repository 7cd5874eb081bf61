import type { OpenedPiece, ProviderPieces } from '../chain/provider-pieces.ts'

type Opener = Pick<ProviderPieces, 'openPiece'>
type OpenCall = Omit<NonNullable<Parameters<Opener['openPiece']>[1]>, 'signal'> & { readonly signal: AbortSignal }

/** @throws Error without an answer; the signal's reason when it aborts first */
export async function openCopy(client: Opener, pieceCid: string, call: OpenCall): Promise<OpenedPiece> {
  const first = await openOnce(client, pieceCid, call)
  // The provider may have closed an idle connection just when the request went out; the next one is fresh.
  const isLost = first.kind === 'uncertain' && first.cause.reason === 'connection_lost'
  const answer = isLost ? await openOnce(client, pieceCid, call) : first
  if (answer.kind !== 'ok') throw new Error(answer.cause.detail, { cause: answer.cause })
  return answer.value
}

async function openOnce(client: Opener, pieceCid: string, call: OpenCall): ReturnType<Opener['openPiece']> {
  const asked = client.openPiece(pieceCid, call)
  try {
    return await unlessAborted(asked, call.signal)
  } catch (error) {
    // An answer that comes too late is closed.
    asked.then((answer) => answer.kind === 'ok' && answer.value.stream.destroy())
    throw error
  }
}

/** The promise, or the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
