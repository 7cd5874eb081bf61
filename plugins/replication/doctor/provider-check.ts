import { defineDoctorCheck, type Finding, type Look, type LookPage } from '#kernel/system'
import { type ProviderAnswer, providers } from '#plugins/providers'
import { nextOf, subjectOf } from './chain-checks.ts'
import { findPiece, piecesAfter, type RecordedPiece, somePieces } from './chain-store.ts'

const piecesPerPage = 24
const callsAtOnce = 8

export const providerPiecesCheck = defineDoctorCheck({
  name: 'replication.provider-pieces',
  title: 'Committed copies against the providers: the piece is served, with the recorded size',
  proves: [],
  cost: 'whole',
  needs: 'network',
  uses: { providers },
  async look({ providers }, look): Promise<LookPage> {
    const { read, after = '0', sample, signal } = look
    const limit = piecesPerPage
    const found = sample === undefined ? await piecesAfter(read, { after: Number(after), limit }) : await somePieces(read, sample)
    const findings: Finding[] = []
    /** Providers that did not answer: asked once per page. */
    const silent = new Set<string>()
    for (let at = 0; at < found.length; at += callsAtOnce) {
      const asked = found.slice(at, at + callsAtOnce).filter(({ serviceUrl }) => !silent.has(serviceUrl))
      const answers = await Promise.all(asked.map((piece) => providers.client(piece.serviceUrl).headPiece(piece.pieceCid, { signal })))
      for (const [index, piece] of asked.entries()) {
        const answer = answers[index]
        if (answer !== undefined) findings.push(...(await judge(look, piece, answer, silent)))
      }
    }
    return { findings, compared: found.length, ...nextOf(look, found.length === limit && found.at(-1)?.copyId) }
  },
})

type Answer = ProviderAnswer<{ readonly size: number | undefined }>

async function judge({ read }: Look, piece: RecordedPiece, answer: Answer, silent: Set<string>): Promise<readonly Finding[]> {
  const { serviceUrl, length, pieceCid } = piece
  if (answer.kind === 'ok') {
    const { size } = answer.value
    if (size === undefined || size === length) return []
    return [damaged(piece, `${serviceUrl} serves ${pieceCid} with ${size} bytes instead of ${length}`)]
  }
  if (answer.cause.reason === 'not_found') {
    // The copy may have been removed since.
    return (await findPiece(read, piece.copyId)) === undefined ? [] : [damaged(piece, `${serviceUrl} does not serve ${pieceCid}`)]
  }
  if (silent.has(serviceUrl)) return []
  silent.add(serviceUrl)
  return [
    {
      severity: 'warning',
      subject: { kind: 'provider', id: serviceUrl },
      message: `the provider did not answer (${answer.cause.reason}); its other copies of this page were not compared`,
      repair: 'Run svc doctor again later; svc admin bucket info shows the health of its data sets',
    },
  ]
}

const damaged = (piece: RecordedPiece, message: string): Finding => ({
  severity: 'error',
  subject: subjectOf(piece),
  message,
  repair:
    'Reads use the other copies. If the provider serves it neither later, block the provider; svc admin object status shows all copies',
})
