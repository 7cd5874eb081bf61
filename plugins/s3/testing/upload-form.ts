/** Makes upload forms by hand, also with wrong policies and signatures. */
import { formatAmzDate } from '../auth/credential.ts'
import { sign, signingKey } from '../auth/signing-key.ts'

type Field = readonly [name: string, value: string]

interface File {
  readonly name?: string
  readonly bytes: string | Buffer
}

export const formBoundary = 'svc--boundary'

/** The body of a POST, and its headers. `after`: fields after the file. */
export function encodeForm(fields: readonly Field[], file: File | undefined, after: readonly Field[] = []) {
  const part = (name: string, value: string | Buffer, fileName?: string) =>
    Buffer.concat([
      Buffer.from(
        `--${formBoundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/plain`}\r\n\r\n`,
      ),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ])
  const body = Buffer.concat([
    ...fields.map(([name, value]) => part(name, value)),
    ...(file === undefined ? [] : [part('file', file.bytes, file.name ?? 'photo.txt')]),
    ...after.map(([name, value]) => part(name, value)),
    Buffer.from(`--${formBoundary}--\r\n`),
  ])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${formBoundary}`, 'content-length': String(body.length) } }
}

interface SignedForm {
  readonly user: { readonly accessKey: string; readonly secretKey: string }
  readonly fields: Readonly<Record<string, string>>
  /** Default: each field and the bucket exactly, for ten minutes. A text is signed as it is. */
  readonly policy?: Readonly<Record<string, unknown>> | string
  readonly bucket: string
  readonly now?: number
}

/** The fields with a policy and its signature, as browsers send them. */
export function signForm({ user, fields, policy, bucket, now = Date.now() }: SignedForm): Field[] {
  const amzDate = formatAmzDate(now)
  const date = amzDate.slice(0, 8)
  const signing = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${user.accessKey}/${date}/us-east-1/s3/aws4_request`,
    'x-amz-date': amzDate,
  }
  const all = { ...fields, ...signing }
  const document = policy ?? exactPolicy(all, bucket, now)
  const encoded = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64')
  return [...Object.entries(all), ['policy', encoded], ['x-amz-signature', sign(signingKey(user.secretKey, date, 'us-east-1'), encoded)]]
}

/** `conditions`: in addition to those for the fields. */
export function exactPolicy(
  fields: Readonly<Record<string, string>>,
  bucket: string,
  now = Date.now(),
  conditions: readonly unknown[] = [],
) {
  return {
    expiration: new Date(now + 600_000).toISOString(),
    conditions: [{ bucket }, ...Object.entries(fields).map(([name, value]) => ({ [name]: value })), ...conditions],
  }
}
