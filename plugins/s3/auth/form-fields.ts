/** Meaning of the fields of an upload form. */
import { type Headers, headerName, headerText, readHeaders } from '../wire/headers.ts'
import { invalidArgument } from '../wire/s3-error.ts'
import { requireKeySize } from '../wire/target.ts'
import type { FormFields } from './form.ts'

/** Fields that mean the same as a header of PutObject. */
const sameNamed: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-type',
  'expires',
])
const signing: ReadonlySet<string> = new Set([
  'policy',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-signature',
])

const fileNameVariable = /\$\{filename\}/
const redirectBytesMax = 2048

/** Checks of the fields that may contain the variable: each throws when a field of this size is too long. */
const sizeChecks: ReadonlyMap<string, (bytes: number) => void> = new Map([
  ['key', requireKeySize],
  ['success_action_redirect', requireRedirectSize],
])

/** The fields, with the name of the file in place of `${filename}`. Throws KeyTooLongError or InvalidArgument before it builds a long text. */
export function withFileName({ values, fileName }: FormFields): ReadonlyMap<string, string> {
  const fields = new Map(values)
  const nameBytes = Buffer.byteLength(fileName)
  for (const [name, requireSize] of sizeChecks) {
    const pieces = values.get(name)?.split(fileNameVariable)
    if (pieces === undefined) continue
    requireSize(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), (pieces.length - 1) * nameBytes))
    fields.set(name, pieces.join(fileName))
  }
  return fields
}

function requireRedirectSize(bytes: number): void {
  if (bytes <= redirectBytesMax) return
  throw invalidArgument(
    'success_action_redirect',
    '',
    `success_action_redirect has ${bytes} bytes; at most ${redirectBytesMax} are allowed.`,
  )
}

/** Throws InvalidArgument for a name or value that no header may have. */
export function formHeaders(fields: ReadonlyMap<string, string>): Headers {
  const headers: string[] = []
  for (const [field, value] of fields) {
    const name = field === 'acl' ? 'x-amz-acl' : field
    if (!sameNamed.has(name) && (!name.startsWith('x-amz-') || signing.has(name))) continue
    headers.push(headerName(name, value), headerText(name, value))
  }
  return readHeaders(headers)
}

/** Throws InvalidArgument for a field that was not sent, or is empty. */
export function requireField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name)
  if (value) return value
  throw invalidArgument(
    name,
    '',
    `Bucket POST must contain a field named '${name}'. If it is specified, please check the order of the fields.`,
  )
}
