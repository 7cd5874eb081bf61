/** Pieces at a provider: upload, lookup, download. */
import type { Readable } from 'node:stream'
import {
  type Answered,
  type CallMeaning,
  type Exchange,
  notSent,
  ok,
  type ProviderAnswer,
  plainFailureOf,
  unreadable,
  uploadIdInLocation,
} from './provider-answer.ts'
import type { OpenAnswer, ProviderHttp, ProviderRequest } from './provider-http.ts'
import { pieceBytesMax, pieceBytesMin } from './provider-limits.ts'
import type { UploadBody } from './upload-body.ts'

interface BodyCall {
  /** 127 to 1,065,353,216 bytes. */
  readonly body: UploadBody
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((sentBytes: number) => void) | undefined
}

interface UploadCall extends BodyCall {
  /** PieceCIDv2 of exactly these bytes. */
  readonly pieceCid: string
}

interface NamedAtEnd extends BodyCall {
  /** Called after the provider took the bytes: their PieceCIDv2, undefined when they were not all sent. */
  nameOf(): Promise<string | undefined>
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
  /**
   * Uploads a piece whose CID is not known before. The provider compares the CID with the bytes that it received. After any failure
   * start over: `upload` finds a piece whose naming took effect although its answer was lost. `unsupported`: the provider has no such sessions.
   * @throws UploadSourceFailed when the local bytes fail, and what `nameOf` throws
   */
  uploadThenName(call: NamedAtEnd): Promise<ProviderAnswer<{ readonly alreadyStored: false }>>
  /**
   * Uploads bytes and never names them: they become no piece, and the provider discards them. For measurements. `unsupported` as above.
   * @throws UploadSourceFailed when the local bytes fail
   */
  uploadOnly(call: BodyCall): Promise<ProviderAnswer<undefined>>
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
      const session = await openSession(http, body, { path: 'pdp/piece', json: { pieceCid }, signal })
      if (session.kind !== 'ok') return session
      if (session.value === undefined) return ok({ alreadyStored: true })
      const path = `pdp/piece/upload/${session.value}`
      const put = await http.exchange({ method: 'PUT', path, upload: body, limit: 'upload', signal, onProgress })
      return isSuccess(put) ? ok({ alreadyStored: false }) : plainFailureOf(put)
    },
    async uploadThenName({ nameOf, ...call }) {
      const put = await putUnnamed(http, call)
      if (put.kind !== 'ok') return put
      const { path, answer } = put.value
      const pieceCid = await nameOf()
      if (pieceCid === undefined) return unreadable(answer, 'the provider took the upload before all bytes were sent')
      // The session ends with it: sent again, it would be refused although it took effect.
      const named = await http.exchange({ method: 'POST', path, json: { pieceCid }, limit: 'read', isSentOnce: true, signal: call.signal })
      return isSuccess(named) ? ok({ alreadyStored: false }) : plainFailureOf(named)
    },
    async uploadOnly(call) {
      let sent = 0
      const put = await putUnnamed(http, { ...call, onProgress: (bytes) => (sent = bytes) })
      if (put.kind !== 'ok') return put
      return sent === call.body.size ? ok(undefined) : unreadable(put.value.answer, 'the provider answered before all bytes were sent')
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

/** Sends the body to a session whose piece is named afterwards. */
async function putUnnamed(
  http: ProviderHttp,
  { body, signal, onProgress }: BodyCall,
): Promise<ProviderAnswer<{ readonly path: string; readonly answer: Answered }>> {
  const session = await openSession(http, body, { path: 'pdp/piece/uploads', signal }, { unsupportedOn: [404, 405, 501] })
  if (session.kind !== 'ok') return session
  const path = `pdp/piece/uploads/${session.value}`
  const answer = await http.exchange({ method: 'PUT', path, upload: body, limit: 'upload', signal, onProgress })
  return isSuccess(answer) ? ok({ path, answer }) : plainFailureOf(answer)
}

/** The id of a new upload session; undefined when the provider has the named piece. */
async function openSession(
  http: ProviderHttp,
  { size }: UploadBody,
  request: Pick<ProviderRequest, 'path' | 'json' | 'signal'>,
  meaning?: CallMeaning,
): Promise<ProviderAnswer<string | undefined>> {
  if (size < pieceBytesMin || size > pieceBytesMax)
    return notSent({ reason: 'over_limit', detail: `a piece of ${size} bytes; ${pieceBytesMin} to ${pieceBytesMax} are allowed` })
  const session = await http.exchange({ method: 'POST', limit: 'session', ...request })
  if (session.kind === 'answered' && session.status === 200 && request.json !== undefined) return ok(undefined)
  return session.kind === 'answered' && session.status === 201 ? uploadIdInLocation(session) : plainFailureOf(session, meaning)
}

const isSuccess = (exchange: Exchange): exchange is Answered =>
  exchange.kind === 'answered' && exchange.status >= 200 && exchange.status < 300

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
