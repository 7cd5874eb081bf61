/**
 * Pages of buckets, beside the endpoints that they show: a gateway without the S3 API has buckets too, and one without the plugin admin
 * has no endpoints for them.
 */
import { type BucketTab, call, type NavEntry, type PageEntry, type PaletteCommand } from '@svc/ui-kit'
import { BucketPage } from './buckets/bucket-page.tsx'
import { BucketsPage } from './buckets/buckets-page.tsx'
import { bucketHref } from './buckets/links.ts'
import { ObjectsTab } from './objects/objects-tab.tsx'
import { TrashTab } from './trash/trash-tab.tsx'
import { VersionsTab } from './versions/versions-tab.tsx'

export const bucketNav: NavEntry = { to: '/buckets', label: 'Buckets', icon: 'database', order: 20, key: 'b' }

export const bucketPages: readonly PageEntry[] = [
  { path: '/buckets', title: 'Buckets', component: BucketsPage },
  { path: '/buckets/:name', title: 'Bucket', component: BucketPage },
]

export const bucketTabs: readonly BucketTab[] = [
  { id: 'objects', label: 'Objects', order: 10, component: ObjectsTab },
  { id: 'versions', label: 'Versions', order: 20, component: VersionsTab },
  { id: 'trash', label: 'Trash', order: 30, component: TrashTab },
]

export const bucketCommands: readonly PaletteCommand[] = [
  { label: 'Create a bucket', keywords: 'new add', icon: 'plus', to: '/buckets?create=1' },
]

const foundMax = 8

/** Buckets by name, for the palette. */
export async function searchBuckets(text: string): Promise<readonly PaletteCommand[]> {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const all = await call('GET /buckets')
  return all
    .filter(({ name }) => name.includes(wanted))
    .slice(0, foundMax)
    .map(({ name }) => ({ label: name, keywords: 'bucket', icon: 'database' as const, to: bucketHref(name) }))
}

const lists = [
  'GET /buckets',
  'GET /buckets/:name',
  'GET /buckets/:name/objects',
  'GET /buckets/:name/objects/versions',
  'GET /buckets/:name/objects/deleted',
]

/** Events that change what these pages show. */
export const bucketTopics: Readonly<Record<string, readonly string[]>> = {
  bucket_updated: ['GET /buckets', 'GET /buckets/:name'],
  upload_state_changed: lists,
  objects_updated: lists,
}
