/** Addresses of the pages of buckets. Keys are in the query, so that every character survives. */
import { apiPath, hrefOf, useIsEnabled } from '@svc/ui-kit'

export const bucketHref = (bucket: string, query: Readonly<Record<string, string | undefined>> = {}): string =>
  hrefOf('/buckets/:name', { name: bucket }, query)

export const folderHref = (bucket: string, prefix: string): string => bucketHref(bucket, { prefix })

export const objectHref = (bucket: string, key: string): string =>
  bucketHref(bucket, { prefix: key.slice(0, key.lastIndexOf('/', key.length - 2) + 1), object: key })

export const versionsHref = (bucket: string, key: string): string => bucketHref(bucket, { tab: 'versions', key })

/** A page of the plugin observability. */
export const lifeHref = (bucket: string, key: string, version: string): string =>
  hrefOf('/buckets/:name/life', { name: bucket }, { key, version })

/** The page has something to show. */
export function useHasLife(): boolean {
  const [hasPage, hasCopies] = [useIsEnabled('observability'), useIsEnabled('replication')]
  return hasPage.value && hasCopies.value
}

/** A page of the plugin replication. */
export const riskHref = (bucket: string): string => hrefOf('/buckets/:name/risk', { name: bucket })

/** A plain link: the browser saves the bytes itself. */
export const downloadHref = (bucket: string, key: string, versionId?: string): string =>
  apiPath('GET /buckets/:name/objects/download', { params: { name: bucket }, query: { key, version_id: versionId } })
