/** Which contents the dashboard shows. The type of a preview is chosen here, never by the uploader: nothing that could run is served as such. */

const kib = 1024
const mib = 1024 * kib

type PreviewKind = 'text' | 'image' | 'pdf' | 'audio' | 'video'

export interface Preview {
  readonly kind: PreviewKind
  /** The Content-Type of the answer. */
  readonly type: string
  /** Bytes that are shown. */
  readonly bytes: number
}

/** Larger texts are cut, larger images and documents are not shown. Audio and video are read in ranges. */
export const previewLimits = { text: 256 * kib, image: 32 * mib, pdf: 64 * mib } as const

const plain = { kind: 'text', type: 'text/plain; charset=utf-8' } as const
const image = (type: string) => ({ kind: 'image', type }) as const
const audio = (type: string) => ({ kind: 'audio', type }) as const
const video = (type: string) => ({ kind: 'video', type }) as const

type Form = Omit<Preview, 'bytes'>

const byType: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['image/png', image('image/png')],
  ['image/jpeg', image('image/jpeg')],
  ['image/gif', image('image/gif')],
  ['image/webp', image('image/webp')],
  ['image/avif', image('image/avif')],
  ['application/pdf', { kind: 'pdf', type: 'application/pdf' }],
  ['audio/mpeg', audio('audio/mpeg')],
  ['audio/ogg', audio('audio/ogg')],
  ['audio/wav', audio('audio/wav')],
  ['audio/flac', audio('audio/flac')],
  ['audio/mp4', audio('audio/mp4')],
  ['audio/webm', audio('audio/webm')],
  ['video/mp4', video('video/mp4')],
  ['video/webm', video('video/webm')],
  ['video/ogg', video('video/ogg')],
])

/** SVG and HTML are shown as their text. */
const textType = /^(?:text\/.+|image\/svg\+xml|application\/(?:.+\+)?(?:json|xml|javascript|x-ndjson|yaml|x-yaml|toml|x-sh|sql))$/

/** For uploads without a type. */
const byExtension: ReadonlyMap<string, Form> = new Map<string, Form>([
  ...[
    'txt',
    'md',
    'log',
    'csv',
    'json',
    'jsonl',
    'xml',
    'yaml',
    'yml',
    'toml',
    'ini',
    'html',
    'svg',
    'css',
    'js',
    'ts',
    'py',
    'sh',
    'sql',
  ].map((name) => [name, plain] as const),
  ['png', image('image/png')],
  ['jpg', image('image/jpeg')],
  ['jpeg', image('image/jpeg')],
  ['gif', image('image/gif')],
  ['webp', image('image/webp')],
  ['avif', image('image/avif')],
  ['pdf', { kind: 'pdf', type: 'application/pdf' }],
  ['mp3', audio('audio/mpeg')],
  ['ogg', audio('audio/ogg')],
  ['wav', audio('audio/wav')],
  ['flac', audio('audio/flac')],
  ['m4a', audio('audio/mp4')],
  ['mp4', video('video/mp4')],
  ['webm', video('video/webm')],
])

const untyped: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

interface Shown {
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly contentEncoding?: string | undefined
}

/** Returns undefined for what is not shown: other types, encoded bytes, and what is too large. */
export function previewOf({ key, contentType, size, contentEncoding = '' }: Shown): Preview | undefined {
  if (contentEncoding !== '' && contentEncoding !== 'identity') return undefined
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const form = untyped.has(type) ? byExtension.get(extensionOf(key)) : (byType.get(type) ?? (textType.test(type) ? plain : undefined))
  if (form === undefined) return undefined
  if (form.kind === 'text') return { ...form, bytes: Math.min(size, previewLimits.text) }
  const isTooLarge = (form.kind === 'image' || form.kind === 'pdf') && size > previewLimits[form.kind]
  return isTooLarge ? undefined : { ...form, bytes: size }
}

const extensionOf = (key: string): string => /\.([^./]+)$/.exec(key)?.[1]?.toLowerCase() ?? ''
