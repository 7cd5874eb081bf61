import { call, type definePluginUi, hrefOf } from '@svc/ui-kit'
import { bucketHref, folderHref, objectHref } from '../buckets/links.ts'
import { matchSettings, readObjectPlace } from './palette-policy.ts'

type Found = Awaited<ReturnType<NonNullable<Parameters<typeof definePluginUi>[0]['search']>>>

const foundMax = 8
/** One letter would name most settings. */
const settingLettersMin = 2

/** Buckets by name, objects below `bucket/prefix`, and settings. */
export async function findInPalette(text: string): Promise<Found> {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const buckets = await call('GET /buckets')
  const place = readObjectPlace(text, buckets)
  if (place) return findObjects(place.bucket, place.prefix)
  const named = buckets.filter(({ name }) => name.includes(wanted)).slice(0, foundMax)
  return [
    ...named.map(({ name }) => ({ label: name, keywords: 'bucket', icon: 'database', to: bucketHref(name) }) as const),
    ...(wanted.length < settingLettersMin ? [] : await findSettings(text)),
  ]
}

async function findSettings(text: string): Promise<Found> {
  const { metadata } = await call('GET /settings')
  return matchSettings(metadata, text, foundMax).map(
    ({ field, label }) => ({ label: `Setting: ${label} (${field})`, icon: 'settings', to: hrefOf('/settings', {}, { q: field }) }) as const,
  )
}

async function findObjects(bucket: string, prefix: string): Promise<Found> {
  const query = { prefix, delimiter: '/', limit: String(foundMax) } as const
  const { folders, objects } = await call('GET /buckets/:name/objects', { params: { name: bucket }, query })
  return [
    ...folders.map((folder) => ({ label: `${bucket}/${folder.prefix}`, icon: 'folder', to: folderHref(bucket, folder.prefix) }) as const),
    ...objects.map(({ key }) => ({ label: `${bucket}/${key}`, icon: 'file', to: objectHref(bucket, key) }) as const),
  ]
}
