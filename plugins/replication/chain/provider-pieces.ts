/** Pieces at a provider: upload, lookup, download. */
import type { Readable } from 'node:stream'
import { type Answered, notSent, ok, type ProviderAnswer, plainFailureOf, unreadable, uploadIdInLocation } from './provider-answer.ts'
import type { OpenAnswer, ProviderHttp } from './provider-http.ts'
import { pieceBytesMax, pieceBytesMin } from './provider-limits.ts'
import type { UploadBody } from './upload-body.ts'

interface UploadCall {
  /** PieceCIDv2 of exactly these bytes. */
  readonly pieceCid: string
  /** 127 to 1,065,353,216 bytes. */
  readonly body: UploadBody
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sentBytes: number) => void) | undefined
}

/** Inclusive, as in HTTP; without `end` up to the end of the piece. */
interface ByteRange {
  readonly start: number
  readonly end?: number | undefined
}

export interface OpenedPiece {
  /** Bytes of the whole piece; undefined if a partial answer does not state it. */
  readonly size: number | undefined
  /** Bytes of this answer, from Content-Length. */
  readonly length: number | undefined
  /** False if the provider sent the whole piece, which it may do for a range request. */
  readonly isPartial: boolean
  /** Not verified: the caller must verify the bytes. Fails after a minute without a byte. */
  readonly stream: Readable
}

export interface ProviderPieces {
  /**
   * Uploads a piece. `alreadyStored`: the provider has the piece, no bytes were sent. After any failure start over:
   * upload sessions are free. The provider keeps the bytes for about 2 h unless they are added to a data set.
   * @throws UploadSourceFailed when the local bytes fail
   */
  upload(call: UploadCall): Promise<ProviderAnswer<{ readonly alreadyStored: boolean }>>
  /** Whether the piece is ready to be added. It is not ready for some seconds after an upload. */
  findPiece(pieceCid: string, call?: { readonly signal?: AbortSignal | undefined }): Promise<ProviderAnswer<{ readonly isFound: boolean }>>
  /** Size of a piece in bytes; `not_found` when the provider does not serve it. */
  headPiece(
    pieceCid: string,
    call?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ProviderAnswer<{ readonly size: number | undefined }>>
  /** The bytes as a stream, which the caller must read or destroy. */
  openPiece(
    pieceCid: string,
    call?: { readonly range?: ByteRange | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<ProviderAnswer<OpenedPiece>>
  /** URL at which this provider serves the piece; other providers pull from it. */
  pieceUrl(pieceCid: string): string
}

export function openProviderPieces(http: ProviderHttp): ProviderPieces {
  return {
    async upload({ pieceCid, body, signal, onProgress }) {
      if (body.size < pieceBytesMin || body.size > pieceBytesMax) {
        return notSent({ reason: 'over_limit', detail: `a piece of ${body.size} bytes; ${pieceBytesMin} to ${pieceBytesMax} are allowed` })
      }
      const session = await http.exchange({ method: 'POST', path: 'pdp/piece', json: { pieceCid }, limit: 'session', signal })
      if (session.kind === 'answered' && session.status === 200) return ok({ alreadyStored: true })
      if (session.kind !== 'answered' || session.status !== 201) return plainFailureOf(session)
      const id = uploadIdInLocation(session)
      if (id.kind !== 'ok') return id
      const path = `pdp/piece/upload/${id.value}`
      const put = await http.exchange({ method: 'PUT', path, upload: body, limit: 'upload', signal, onProgress })
      return put.kind === 'answered' && put.status >= 200 && put.status < 300 ? ok({ alreadyStored: false }) : plainFailureOf(put)
    },
    async findPiece(pieceCid, { signal } = {}) {
      const path = `pdp/piece?pieceCid=${encodeURIComponent(pieceCid)}`
      const exchange = await http.exchange({ method: 'GET', path, limit: 'read', signal })
      if (exchange.kind !== 'answered') return exchange
      // Older servers answer 202 while the piece is being processed.
      if (exchange.status === 404 || exchange.status === 202) return ok({ isFound: false })
      return exchange.status === 200 ? ok({ isFound: true }) : plainFailureOf(exchange)
    },
    async headPiece(pieceCid, { signal } = {}) {
      const exchange = await http.exchange({ method: 'HEAD', path: piecePath(pieceCid), limit: 'read', signal })
      if (exchange.kind !== 'answered' || exchange.status !== 200) return plainFailureOf(exchange)
      return ok({ size: lengthOf(exchange.headers) })
    },
    async openPiece(pieceCid, { range, signal } = {}) {
      const rangeHeader = range === undefined ? undefined : `bytes=${range.start}-${range.end ?? ''}`
      const answer = await http.open({ method: 'GET', path: piecePath(pieceCid), limit: 'read', range: rangeHeader, signal })
      return answer.kind === 'open' ? opened(answer, range) : plainFailureOf(answer)
    },
    pieceUrl: (pieceCid) => new URL(piecePath(pieceCid), http.baseUrl).href,
  }
}

function piecePath(pieceCid: string): string {
  return `piece/${encodeURIComponent(pieceCid)}`
}

function opened(answer: OpenAnswer, range: ByteRange | undefined): ProviderAnswer<OpenedPiece> {
  const { status, headers, stream } = answer
  const length = lengthOf(headers)
  if (status === 200) return ok({ size: length, length, isPartial: false, stream })
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(headers['content-range'])) ?? []
  if (range === undefined || Number(start) !== range.start) {
    stream.destroy()
    return unreadable(answer, `not the requested range: ${String(headers['content-range'])}`)
  }
  return ok({ size: size === '*' ? undefined : Number(size), length, isPartial: true, stream })
}

function lengthOf(headers: Answered['headers']): number | undefined {
  const text = String(headers['content-length'])
  return /^\d+$/.test(text) ? Number(text) : undefined
}
