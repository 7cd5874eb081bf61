import { S3Error } from '../wire/s3-error.ts'
import type { ChunkSignatures } from './chunk-signatures.ts'

const signatureName = 'x-amz-trailer-signature'

/** The lines after the last chunk of an aws-chunked body: checksums and their signature. */
export class TrailerBlock {
  readonly #announced: ReadonlySet<string>
  readonly #signatures: ChunkSignatures | undefined
  readonly #received = new Map<string, string>()
  #signature: string | undefined

  constructor(announced: readonly string[], signatures: ChunkSignatures | undefined) {
    this.#announced = new Set(announced)
    this.#signatures = signatures
  }

  get received(): ReadonlyMap<string, string> {
    return this.#received
  }

  /** Adds one line without its line end; returns true when it ends the block. Throws MalformedTrailerError, SignatureDoesNotMatch. */
  addLine(line: string): boolean {
    if (line === '') return this.#isClosedByEmptyLine()
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (this.#signatures !== undefined && name === signatureName && this.#signature === undefined) this.#signature = value
    else if (this.#announced.has(name) && !this.#received.has(name) && this.#signature === undefined) this.#received.set(name, value)
    else throw malformed(`The trailer "${name}" is missing in x-amz-trailer, repeated, or after the signature.`)
    return false
  }

  /** Some clients end each signed trailer with LF CR LF, so an empty line before the signature does not end the block. */
  #isClosedByEmptyLine(): boolean {
    if (this.#signatures !== undefined && this.#signature === undefined) return false
    for (const name of this.#announced) {
      if (!this.#received.has(name)) throw malformed(`The trailer "${name}" announced in x-amz-trailer is missing.`)
    }
    const lines = [...this.#received].map(([name, value]) => `${name}:${value}\n`).join('')
    if (this.#signature !== undefined) this.#signatures?.verifyTrailers(lines, this.#signature)
    return true
  }
}

function malformed(message: string): S3Error {
  return new S3Error('MalformedTrailerError', { message, closesConnection: true })
}
