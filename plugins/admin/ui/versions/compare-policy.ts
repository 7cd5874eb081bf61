import type { Answer } from '@svc/ui-kit'

export type VersionFacts = Pick<
  Answer<'GET /buckets/:name/objects/metadata'>,
  'content_type' | 'headers' | 'metadata' | 'tags' | 'checksums'
> & { readonly size: string; readonly etag: string; readonly uploaded: string }

interface Difference {
  readonly label: string
  readonly from: string
  readonly to: string
}

const absent = 'none'

/** What differs between two versions of a key; a name that one of them lacks is `none` there. */
export function compareVersions(from: VersionFacts, to: VersionFacts): readonly Difference[] {
  const [left, right] = [listFacts(from), listFacts(to)]
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((label) => ({ label, from: left.get(label) ?? absent, to: right.get(label) ?? absent }))
    .filter((row) => row.from !== row.to)
}

function listFacts({ content_type, headers, metadata, tags, checksums, size, etag, uploaded }: VersionFacts): ReadonlyMap<string, string> {
  const named = (group: string, pairs: VersionFacts['tags']) => pairs.map(({ name, value }) => [`${group} ${name}`, value] as const)
  return new Map([
    ['Uploaded', uploaded],
    ['Size', size],
    ['ETag', etag],
    ['Content type', content_type],
    ...named('Header', headers),
    ...named('Metadata', metadata),
    ...named('Tag', tags),
    ...named('Checksum', checksums),
  ])
}
