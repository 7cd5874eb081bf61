import { createHash, type Hash, hash } from 'node:crypto'
import { S3Error } from '../wire/s3-error.ts'
import { isSameSignature } from './authentication.ts'
import { type Signing, sign } from './signing-key.ts'

const emptySha256 = hash('sha256', '')

/** Verifies a signed aws-chunked body: each chunk signature covers the bytes of the chunk and the previous signature. */
export class ChunkSignatures {
  readonly #signing: Signing
  #previous: string
  #bytes: Hash = createHash('sha256')

  /** `seed` is the signature of the request's headers. */
  constructor(signing: Signing, seed: string) {
    this.#signing = signing
    this.#previous = seed
  }

  addBytes(bytes: Uint8Array): void {
    this.#bytes.update(bytes)
  }

  /** Ends a chunk. Throws SignatureDoesNotMatch. */
  verifyChunk(signature: string): void {
    this.#verify('AWS4-HMAC-SHA256-PAYLOAD', `${emptySha256}\n${this.#bytes.digest('hex')}`, signature)
    this.#bytes = createHash('sha256')
  }

  /** Ends the body. `lines`: all trailers as `name:value\n`, concatenated. Throws SignatureDoesNotMatch. */
  verifyTrailers(lines: string, signature: string): void {
    this.#verify('AWS4-HMAC-SHA256-TRAILER', hash('sha256', Buffer.from(lines, 'latin1')), signature)
  }

  #verify(kind: string, content: string, signature: string): void {
    const { key, amzDate, scope } = this.#signing
    const computed = sign(key, `${kind}\n${amzDate}\n${scope}\n${this.#previous}\n${content}`)
    if (!isSameSignature(computed, signature)) {
      throw new S3Error('SignatureDoesNotMatch', {
        message: 'The signature of a chunk of the request body does not match the bytes received. Check your key and signing method.',
        extras: { SignatureProvided: signature },
        closesConnection: true,
      })
    }
    this.#previous = computed
  }
}
