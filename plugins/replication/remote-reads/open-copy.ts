import type { OpenedPiece, ProviderAnswer, ProviderPieces } from '#plugins/providers'

type Opener = Pick<ProviderPieces, 'openPiece'>
type OpenCall = Parameters<Opener['openPiece']>[1]

/** Asks once more when the connection was lost before the answer: the provider may have closed an idle one. */
export async function askCopy(client: Opener, pieceCid: string, call: OpenCall): Promise<ProviderAnswer<OpenedPiece>> {
  const first = await client.openPiece(pieceCid, call)
  const isLost = first.kind === 'uncertain' && first.cause.reason === 'connection_lost'
  return isLost ? client.openPiece(pieceCid, call) : first
}

/** The provider answered that it does not have the piece. */
export class CopyMissing extends Error {
  override readonly name = 'CopyMissing'
}

/** @throws CopyMissing, Error without an answer */
export async function openCopy(client: Opener, pieceCid: string, call: OpenCall): Promise<OpenedPiece> {
  const answer = await askCopy(client, pieceCid, call)
  if (answer.kind === 'ok') return answer.value
  const { reason, detail } = answer.cause
  throw reason === 'not_found' ? new CopyMissing(detail, { cause: answer.cause }) : new Error(detail, { cause: answer.cause })
}
