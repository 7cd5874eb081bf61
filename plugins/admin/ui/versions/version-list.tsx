import { component$, type QRL, useSignal } from '@builder.io/qwik'
import { VersionTimeline } from '@svc/ui-kit'
import { entryId, VersionEntry } from './version-entry.tsx'
import { toPoint, type Version } from './version-policy.ts'

interface VersionListProps {
  bucket: string
  versions: readonly Version[]
  /** There are older versions on further pages. */
  hasMore: boolean
  /** The current version is on this page, and has bytes. */
  isCompared: boolean
  onAction$: QRL<(action: string, versionId: string) => void>
}

/** A page of versions, as a picture and as a list. */
export const VersionList = component$<VersionListProps>(({ bucket, versions, hasMore, isCompared, onAction$ }) => {
  const marked = useSignal<string>()
  return (
    <>
      {versions.length > 1 && (
        <div class="border-b px-4 pt-3 pb-2">
          <VersionTimeline
            label="Timeline of the versions"
            versions={versions.map(toPoint)}
            selected={marked.value}
            onSelect$={(id) => {
              marked.value = id
              document.getElementById(entryId(id))?.scrollIntoView({ block: 'center' })
            }}
          />
        </div>
      )}
      <ol aria-label="Versions, newest first" class="flex flex-col px-4 py-4">
        {versions.map((version, at) => (
          <VersionEntry
            key={version.version_id}
            bucket={bucket}
            version={version}
            isCompared={isCompared}
            isMarked={marked.value === version.version_id}
            isLast={at === versions.length - 1 && !hasMore}
            onAction$={(action: string) => onAction$(action, version.version_id)}
          />
        ))}
      </ol>
    </>
  )
})
