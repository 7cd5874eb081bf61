/** Shared by both forms of Signature Version 4, header and presigned query. */
import { timingSafeEqual } from 'node:crypto'
import type { Headers } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import { type CanonicalParts, canonicalRequests, type SignedRequest } from './canonical-request.ts'
import type { Credential } from './credential.ts'
import type { Payload } from './payload.ts'
import { type Signing, sign, signingKey, stringToSign } from './signing-key.ts'

export const skewMaxMs = 900_000

/** An S3 user with the secret key that verifies its signatures. */
export interface Signer {
  readonly accessKey: string
  readonly secretKey: string
}

export interface SignatureRequest<User extends Signer> extends SignedRequest {
  readonly query: ReadonlyMap<string, string>
  /** Milliseconds UTC. */
  readonly now: number
  /** Region of this server; us-east-1 is always accepted too. */
  readonly region: string
  readonly findUser: (accessKey: string) => User | undefined | Promise<User | undefined>
}

export interface Authentication<User extends Signer> {
  readonly user: User
  /** Headers of the request, plus those hoisted into the query of a presigned URL. */
  readonly headers: Headers
  readonly payload: Payload
  /** Signature of the headers: seed of the chunk signatures. */
  readonly signature: string
  readonly signing: Signing
}

interface Claim {
  readonly credential: Credential
  readonly amzDate: string
  readonly signature: string
}

/** Signature Version 2 is what old SDKs sign by default, above all presigned URLs. */
export function signatureVersion2Refused(): S3Error {
  return new S3Error('InvalidRequest', {
    message:
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256. The request has a signature of version 2. ' +
      "Set signature_version = s3v4: with boto3 Config(signature_version='s3v4'), with aws-cli 'aws configure set default.s3.signature_version s3v4', " +
      "with s3cmd 'signature_v2 = False'; then sign or presign again. docs/guide/s3-clients.md has a recipe for each client.",
  })
}

/** Throws InvalidAccessKeyId. */
export async function requireUser<User extends Signer>(
  request: Pick<SignatureRequest<User>, 'findUser'>,
  accessKey: string,
): Promise<User> {
  const user = await request.findUser(accessKey)
  if (user === undefined) throw new S3Error('InvalidAccessKeyId', { extras: { AWSAccessKeyId: accessKey } })
  return user
}

/** Returns the key that also signs the chunks. Throws SignatureDoesNotMatch with the canonical request, so that clients can debug. */
export function verifySignature(request: SignedRequest, signer: Signer, claim: Claim, parts: CanonicalParts): Signing {
  const { credential, amzDate } = claim
  const signing: Signing = { key: signingKey(signer.secretKey, credential.date, credential.region), amzDate, scope: credential.scope }
  const candidates = canonicalRequests(request, parts)
  for (const canonical of candidates) {
    if (isSameSignature(sign(signing.key, stringToSign(signing, canonical)), claim.signature)) return signing
  }
  const [canonical = ''] = candidates
  throw new S3Error('SignatureDoesNotMatch', {
    extras: {
      AWSAccessKeyId: credential.accessKey,
      StringToSign: stringToSign(signing, canonical),
      SignatureProvided: claim.signature,
      CanonicalRequest: canonical,
    },
  })
}

/** Constant-time comparison. */
export function isSameSignature(computed: string, provided: string): boolean {
  const left = Buffer.from(computed, 'latin1')
  const right = Buffer.from(provided, 'latin1')
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Throws AccessDenied for an unsigned `host` or `x-amz-*` header. */
export function requireSignedHeaders(headers: Headers, signedHeaders: readonly string[], exempt: readonly string[] = []): void {
  const unsigned: string[] = []
  for (const name of headers.names()) {
    if (name !== 'host' && !name.startsWith('x-amz-')) continue
    if (!signedHeaders.includes(name) && !exempt.includes(name)) unsigned.push(name)
  }
  if (unsigned.length === 0) return
  throw new S3Error('AccessDenied', {
    message: 'There were headers present in the request which were not signed.',
    extras: { HeadersNotSigned: unsigned.join(', ') },
  })
}
