import type { OpenedPiece, ProviderPieces } from '#plugins/providers'

type Opener = Pick<ProviderPieces, 'openPiece'>

/** Retries once when the connection was lost before the answer: the provider may have closed an idle one. @throws Error without an answer */
export async function openCopy(client: Opener, pieceCid: string, call: Parameters<Opener['openPiece']>[1]): Promise<OpenedPiece> {
  const first = await client.openPiece(pieceCid, call)
  const isLost = first.kind === 'uncertain' && first.cause.reason === 'connection_lost'
  const answer = isLost ? await client.openPiece(pieceCid, call) : first
  if (answer.kind !== 'ok') throw new Error(answer.cause.detail, { cause: answer.cause })
  return answer.value
}
