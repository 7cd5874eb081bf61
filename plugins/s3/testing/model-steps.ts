/** Random commands for the property tests, as plain data that fast-check shrinks and prints. */
import fc from 'fast-check'

/** Positions refer to what exists when the step runs, modulo its number. */
export interface OnKey {
  readonly bucket: number
  readonly key: number
}

export interface OnUpload {
  readonly bucket: number
  readonly upload: number
}

export interface PutStep extends OnKey {
  readonly do: 'put'
  readonly body: string
  readonly note: string | undefined
  readonly only: 'if absent' | 'if same' | 'if other' | undefined
}

export interface ReadStep extends OnKey {
  readonly do: 'read'
  /** Is undefined for the current version. */
  readonly version: number | undefined
  readonly isHead: boolean
  readonly range: readonly [number, number] | undefined
}

export interface DeleteVersionStep extends OnKey {
  readonly do: 'delete version'
  readonly version: number
}

export interface DeleteManyStep {
  readonly do: 'delete many'
  readonly bucket: number
  readonly items: readonly { readonly key: number; readonly version: number | undefined }[]
  readonly isQuiet: boolean
}

export interface CopyStep extends OnKey {
  readonly do: 'copy'
  readonly source: OnKey & { readonly version: number | undefined }
  readonly note: string | undefined
}

export interface PartStep extends OnUpload {
  readonly do: 'part'
  readonly number: number
  readonly body: string
  readonly isLarge: boolean
}

export interface CopyPartStep extends OnUpload {
  readonly do: 'copy part'
  readonly number: number
  readonly source: OnKey
  readonly range: readonly [number, number] | undefined
}

export interface CompleteStep extends OnUpload {
  readonly do: 'complete'
  /** Bits of the stored parts to leave out. */
  readonly without: number
  readonly flaw: 'order' | 'etag' | 'unknown part' | undefined
}

/** A text, or the first characters of a key. */
export type KeyText = string | { readonly key: number; readonly length: number }

/** Characters of the text or key that the prefix is of, from a position after the end of the prefix; negative: inside it. */
interface DelimiterOfPrefix {
  readonly from: number
  readonly length: number
}

export interface ListStep {
  readonly do: 'list'
  readonly of: 'v1' | 'v2' | 'versions' | 'uploads'
  readonly bucket: number
  readonly prefix: KeyText
  readonly delimiter: string | DelimiterOfPrefix
  readonly after: KeyText
  /** Starts after this version or upload of the bucket instead. */
  readonly afterEntry: number | undefined
  readonly limit: number
  readonly isEncoded: boolean
}

export interface CreateUploadStep extends OnKey {
  readonly do: 'create upload'
  readonly note: string | undefined
}

export interface ListPartsStep extends OnUpload {
  readonly do: 'list parts'
  readonly limit: number
  readonly after: number
}

export type Step =
  | PutStep
  | ReadStep
  | (OnKey & { readonly do: 'delete' })
  | DeleteVersionStep
  | DeleteManyStep
  | CopyStep
  | CreateUploadStep
  | PartStep
  | CopyPartStep
  | CompleteStep
  | { readonly do: 'complete again'; readonly completed: number }
  | (OnUpload & { readonly do: 'abort' })
  | ListPartsStep
  | { readonly do: 'remove bucket'; readonly bucket: number }
  | ListStep

const keyBytesMax = 1024

/** Neighbours in the order of UTF-8 and UTF-16, characters of paths, queries and XML, and control characters. */
const units = [
  'a',
  'a',
  'b',
  '/',
  '/',
  'é',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
  '\r',
  '\n',
  ' ',
  '+',
  '%',
  '&',
  '<',
  '.',
  '~',
]
const unit = fc.constantFrom(...units)
const text = (minLength: number, maxLength: number) => fc.array(unit, { minLength, maxLength }).map((some) => some.join(''))
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((some) => !some.includes('\0'))
/** Keys with common starts, in which a delimiter often occurs twice. */
const pathText = fc
  .array(fc.constantFrom('a', '/', 'a/', '😀', '😀/', '\uffff'), { minLength: 1, maxLength: 6 })
  .map((some) => some.join(''))
/** Makes the longest keys: they begin alike, and end in different characters. */
const longText = fc
  .tuple(unit, text(1, 3))
  .map(([first, last]) => `${first}${'k'.repeat(keyBytesMax - Buffer.byteLength(first + last))}${last}`)
const key = fc.oneof(
  { weight: 10, arbitrary: text(1, 5) },
  { weight: 8, arbitrary: pathText },
  { weight: 2, arbitrary: anyText },
  { weight: 1, arbitrary: longText },
)

const at = fc.nat(30)
/** Even: of the named key. */
const version = fc.oneof(
  fc.nat(10).map((half) => 2 * half),
  fc.nat(30),
)
const onKey = { bucket: fc.constantFrom(0, 0, 0, 1), key: at }
const onUpload = { bucket: fc.constantFrom(0, 0, 0, 1), upload: at }
const body = fc.oneof(fc.constantFrom('', 'x', 'same bytes'), fc.string({ maxLength: 300 }))
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 })
const note = optional(fc.constantFrom('one', 'two'))
const range = optional(fc.tuple(fc.nat(12), fc.nat(400)))
const number = fc.constantFrom(1, 2, 3, 10_000)

const keyStart = fc.record({ key: at, length: fc.constantFrom(1, 1, 2, 3, keyBytesMax) })

const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
  [
    8,
    fc.record({
      do: fc.constant('put'),
      ...onKey,
      body,
      note,
      only: fc.constantFrom(undefined, undefined, undefined, undefined, 'if absent', 'if same', 'if other'),
    }),
  ],
  [4, fc.record({ do: fc.constant('read'), ...onKey, version: optional(version), isHead: fc.boolean(), range })],
  [3, fc.record({ do: fc.constant('delete'), ...onKey })],
  [3, fc.record({ do: fc.constant('delete version'), ...onKey, version })],
  [
    2,
    fc.record({
      do: fc.constant('delete many'),
      bucket: onKey.bucket,
      items: fc.array(fc.record({ key: at, version: optional(version) }), { minLength: 1, maxLength: 5 }),
      isQuiet: fc.boolean(),
    }),
  ],
  [4, fc.record({ do: fc.constant('copy'), ...onKey, source: fc.record({ ...onKey, version: optional(version) }), note })],
  [6, fc.record({ do: fc.constant('create upload'), ...onKey, note })],
  [4, fc.record({ do: fc.constant('part'), ...onUpload, number, body, isLarge: fc.constantFrom(false, false, false, true) })],
  [1, fc.record({ do: fc.constant('copy part'), ...onUpload, number, source: fc.record(onKey), range })],
  [
    3,
    fc.record({
      do: fc.constant('complete'),
      ...onUpload,
      without: fc.constantFrom(0, 0, 0, 1, 2, 3),
      flaw: fc.constantFrom(undefined, undefined, undefined, 'order', 'etag', 'unknown part'),
    }),
  ],
  [1, fc.record({ do: fc.constant('complete again'), completed: at })],
  [1, fc.record({ do: fc.constant('abort'), ...onUpload })],
  [1, fc.record({ do: fc.constant('list parts'), ...onUpload, limit: fc.constantFrom(0, 1, 2, 1000), after: fc.constantFrom(0, 1, 3) })],
  [1, fc.record({ do: fc.constant('remove bucket'), bucket: onKey.bucket })],
  [
    10,
    fc.record({
      do: fc.constant('list'),
      of: fc.constantFrom('v1', 'v2', 'v2', 'versions', 'versions', 'uploads', 'uploads'),
      bucket: fc.constantFrom(0, 0, 0, 0, 0, 0, 1),
      prefix: fc.oneof(fc.constant(''), fc.constant(''), fc.constant(''), fc.oneof(text(1, 2), pathText), keyStart, keyStart, keyStart),
      delimiter: fc.oneof(
        fc.constantFrom('', '/', '/', 'a', '//', '\u{10ffff}', '\uffff'),
        text(1, 2),
        fc.constant('/'),
        fc.record({ from: fc.constantFrom(-2, -1, -1, -1, 0), length: fc.constantFrom(1, 1, 2) }),
      ),
      after: fc.oneof(fc.constant(''), fc.constant(''), fc.constant(''), text(1, 4), keyStart, keyStart),
      afterEntry: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2, 5, 8),
      limit: fc.constantFrom(0, 1, 1, 2, 2, 3, 3, 5, 1000, 1000),
      isEncoded: fc.boolean(),
    }),
  ],
]

export interface ModelRun {
  /** Stored in this order before the steps. */
  readonly keys: readonly string[]
  readonly steps: readonly Step[]
}

export const modelRuns = (stepsMax: number): fc.Arbitrary<ModelRun> =>
  fc.record({
    keys: fc.uniqueArray(key, { minLength: 1, maxLength: 12, size: 'max' }),
    steps: fc.array(fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
      minLength: 1,
      maxLength: stepsMax,
      size: 'max',
    }),
  })
