/** Version histories of the storage in memory, as far as the S3 API uses them. */
import type { DeleteOutcome, ListVersionsRequest, Objects, ObjectVersion, VersionPage, Versions } from '#plugins/storage'

export interface Stored {
  readonly version: ObjectVersion
  readonly bytes: Buffer
}

/** `stored` holds the versions of each `bucket/key`, oldest first. */
export function createMemoryVersions(
  stored: Map<string, Stored[]>,
  objects: Pick<Objects, 'delete' | 'find'>,
): Pick<Versions, 'delete' | 'deleteMany' | 'list' | 'setTags'> {
  const versions: ReturnType<typeof createMemoryVersions> = {
    async delete({ bucket, key, versionId, condition }) {
      const all = stored.get(`${bucket}/${key}`) ?? []
      const found = all.find(({ version }) => version.versionId === versionId)?.version
      condition?.(found)
      const rest = all.filter(({ version }) => version.versionId !== versionId)
      stored.set(
        `${bucket}/${key}`,
        rest.map((one, index) => ({ ...one, version: { ...one.version, isCurrent: index === rest.length - 1 } })),
      )
      return found && { versionId, isDeleteMarker: found.isDeleteMarker }
    },
    async deleteMany({ bucket, items }) {
      const outcomes: DeleteOutcome[] = []
      for (const { key, versionId, condition } of items) {
        try {
          condition?.(await objects.find(bucket, key, versionId))
        } catch (error) {
          outcomes.push({ kind: 'refused', error })
          continue
        }
        if (versionId === undefined) {
          outcomes.push({ kind: 'marked', markerVersionId: (await objects.delete(bucket, key)).versionId })
        } else {
          const removed = await versions.delete({ bucket, key, versionId })
          outcomes.push(removed ? { kind: 'removed', isDeleteMarker: removed.isDeleteMarker } : { kind: 'absent' })
        }
      }
      return outcomes
    },
    async setTags() {
      // Tests of tags use real storage.
      throw new Error('the storage in memory does not change tags')
    },
    list: async (request) => listStored(stored, request),
  }
  return versions
}

interface Line {
  readonly name: string
  readonly version: ObjectVersion | undefined
}

function listStored(stored: ReadonlyMap<string, Stored[]>, request: ListVersionsRequest): VersionPage {
  const lines = linesOf(stored, request)
  const { keyMarker = '', versionIdMarker, limit } = request
  const marked = lines.findIndex(({ name, version }) => name === keyMarker && version?.versionId === versionIdMarker)
  const start = versionIdMarker !== undefined && marked >= 0 ? marked + 1 : lines.findIndex(({ name }) => compareBytes(name, keyMarker) > 0)
  const rest = start < 0 ? [] : lines.slice(start)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  return {
    versions: shown.flatMap(({ version }) => version ?? []),
    commonPrefixes: shown.flatMap(({ name, version }) => (version ? [] : name)),
    isTruncated: rest.length > limit,
    ...(last && { last: { key: last.name, ...(last.version && { versionId: last.version.versionId }) } }),
  }
}

function linesOf(stored: ReadonlyMap<string, Stored[]>, { bucket, prefix = '', delimiter = '' }: ListVersionsRequest): Line[] {
  const lines: Line[] = []
  for (const [path, versions] of [...stored].sort(([a], [b]) => compareBytes(a, b))) {
    const key = path.slice(bucket.length + 1)
    if (!path.startsWith(`${bucket}/`) || !key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const group = at < 0 ? undefined : key.slice(0, at + delimiter.length)
    if (group === undefined) lines.push(...versions.toReversed().map(({ version }) => ({ name: key, version })))
    else if (versions.length > 0 && lines.at(-1)?.name !== group) lines.push({ name: group, version: undefined })
  }
  return lines
}

const compareBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))
