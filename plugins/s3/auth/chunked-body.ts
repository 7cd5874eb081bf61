import { S3Error } from '../wire/s3-error.ts'
import { ChunkSignatures } from './chunk-signatures.ts'
import type { Signing } from './signing-key.ts'
import { TrailerBlock } from './trailer-block.ts'

const chunkLineBytesMax = 1024
const trailerBytesMax = 16 * 1024

export interface ChunkedBodyOptions {
  /** For bodies with chunk signatures; `seed` is the signature of the request. */
  readonly signed?: { readonly signing: Signing; readonly seed: string }
  /** Names in x-amz-trailer; undefined when the framing has no trailer block. */
  readonly trailers?: readonly string[]
  /** x-amz-decoded-content-length. */
  readonly decodedLength?: number
}

interface ChunkedBody {
  /** The decoded bytes. Ends normally only after every signature and length was verified; throws S3Error otherwise. */
  readonly bytes: AsyncIterable<Buffer>
  /** Complete when `bytes` has ended. */
  readonly trailers: ReadonlyMap<string, string>
}

/** Decodes aws-chunked bodies (signed, signed with trailers, unsigned with trailers) as a stream, without buffering chunks. */
export function decodeChunkedBody(source: AsyncIterable<Buffer>, options: ChunkedBodyOptions): ChunkedBody {
  const decoder = new ChunkDecoder(options)
  return { bytes: decodeAll(source, decoder), trailers: decoder.trailers.received }
}

async function* decodeAll(source: AsyncIterable<Buffer>, decoder: ChunkDecoder): AsyncGenerator<Buffer> {
  for await (const piece of source) yield* decoder.decode(piece)
  decoder.finish()
}

/** `may-end`: the body is complete, and one more empty line may follow. */
type State = 'chunk-line' | 'bytes' | 'chunk-end' | 'trailers' | 'body-end' | 'may-end' | 'done'

class ChunkDecoder {
  readonly trailers: TrailerBlock
  readonly #signatures: ChunkSignatures | undefined
  readonly #hasTrailers: boolean
  readonly #decodedLength: number | undefined
  #state: State = 'chunk-line'
  /** Start of a line that is split over several pieces. */
  #linePart = ''
  #trailerBytes = 0
  #chunkSignature = ''
  #chunkRemaining = 0
  #decoded = 0

  constructor({ signed, trailers, decodedLength }: ChunkedBodyOptions) {
    this.#signatures = signed && new ChunkSignatures(signed.signing, signed.seed)
    this.#hasTrailers = trailers !== undefined
    this.#decodedLength = decodedLength
    this.trailers = new TrailerBlock(trailers ?? [], this.#signatures)
  }

  /** Yields the object's bytes of one received piece, as views of it. */
  *decode(piece: Buffer): Generator<Buffer> {
    let at = 0
    while (at < piece.length) {
      if (this.#state === 'bytes') {
        const end = Math.min(piece.length, at + this.#chunkRemaining)
        yield this.#takeBytes(piece.subarray(at, end))
        at = end
      } else {
        at = this.#takeLine(piece, at)
      }
    }
  }

  finish(): void {
    const isWhole = this.#state === 'done' || (this.#state === 'may-end' && this.#linePart === '')
    if (!isWhole) throw incomplete('The request body ended before its last chunk.')
    if (this.#decodedLength !== undefined && this.#decoded !== this.#decodedLength) {
      throw incomplete(`The request body has ${this.#decoded} bytes; x-amz-decoded-content-length declared ${this.#decodedLength}.`)
    }
  }

  #takeBytes(bytes: Buffer): Buffer {
    this.#signatures?.addBytes(bytes)
    this.#decoded += bytes.length
    this.#chunkRemaining -= bytes.length
    if (this.#chunkRemaining === 0) this.#state = 'chunk-end'
    return bytes
  }

  /** Consumes up to a line feed; returns the position after it. */
  #takeLine(piece: Buffer, at: number): number {
    if (this.#state === 'done') throw continued()
    const lineFeed = piece.indexOf(0x0a, at)
    const end = lineFeed < 0 ? piece.length : lineFeed
    const limit = this.#state === 'trailers' ? trailerBytesMax - this.#trailerBytes : chunkLineBytesMax
    if (this.#linePart.length + end - at > limit) throw this.#lineTooLong()
    this.#linePart += piece.toString('latin1', at, end)
    if (lineFeed < 0) return piece.length
    const line = this.#linePart
    this.#linePart = ''
    this.#handleLine(line)
    return lineFeed + 1
  }

  #handleLine(line: string): void {
    if (this.#state === 'trailers') {
      this.#trailerBytes += line.length + 1
      // Unsigned trailers end with LF CR LF CR LF as AWS documents them and minio-go sends them; most clients end them with CR LF CR LF.
      if (this.trailers.addLine(line.endsWith('\r') ? line.slice(0, -1) : line)) this.#state = this.#signatures ? 'done' : 'may-end'
      return
    }
    if (!line.endsWith('\r')) throw incomplete('A line of the aws-chunked request body does not end with CR LF.')
    if (this.#state === 'chunk-line') {
      this.#startChunk(line.slice(0, -1))
      return
    }
    this.#handleEnd(line)
  }

  /** The empty line after a chunk, and those after the last one. */
  #handleEnd(line: string): void {
    if (line !== '\r') {
      throw this.#state === 'may-end' ? continued() : incomplete('A chunk of the request body is longer than its announced size.')
    }
    if (this.#state !== 'chunk-end') {
      this.#state = 'done'
      return
    }
    this.#signatures?.verifyChunk(this.#chunkSignature)
    this.#state = 'chunk-line'
  }

  #startChunk(line: string): void {
    const match = (this.#signatures ? signedChunkLine : unsignedChunkLine).exec(line)
    if (match === null) throw incomplete('A chunk of the aws-chunked request body does not start with its size and signature.')
    this.#chunkRemaining = Number.parseInt(match[1] ?? '', 16)
    this.#chunkSignature = match[2] ?? ''
    if (this.#decodedLength !== undefined && this.#decoded + this.#chunkRemaining > this.#decodedLength) {
      throw incomplete(`The request body is longer than x-amz-decoded-content-length (${this.#decodedLength}).`)
    }
    if (this.#chunkRemaining > 0) {
      this.#state = 'bytes'
      return
    }
    this.#signatures?.verifyChunk(this.#chunkSignature)
    this.#state = this.#hasTrailers ? 'trailers' : 'body-end'
  }

  #lineTooLong(): S3Error {
    if (this.#state !== 'trailers') return incomplete(`A chunk line of the request body is longer than ${chunkLineBytesMax} bytes.`)
    return new S3Error('MalformedTrailerError', {
      message: `The trailers of the request body are longer than ${trailerBytesMax} bytes.`,
      closesConnection: true,
    })
  }
}

// Twelve hexadecimal digits at most: below 2^48, so the size is an exact integer.
const signedChunkLine = /^([0-9a-fA-F]{1,12});chunk-signature=([0-9a-f]{64})$/
const unsignedChunkLine = /^([0-9a-fA-F]{1,12})$/

const continued = (): S3Error => incomplete('The request body continues after its last chunk.')

function incomplete(message: string): S3Error {
  return new S3Error('IncompleteBody', { message, closesConnection: true })
}
