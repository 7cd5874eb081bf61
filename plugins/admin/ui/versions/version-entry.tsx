import { component$, type QRL } from '@builder.io/qwik'
import { Ago, Badge, Bytes, Copyable, formatExactTime, Icon, Menu, toneBox } from '@svc/ui-kit'
import { downloadHref, lifeHref, useHasLife } from '../buckets/links.ts'
import { LocationBadges } from '../objects/location-badges.tsx'
import { StateMark } from '../objects/state-mark.tsx'
import { actionsFor, describeVersion, type Version } from './version-policy.ts'

interface VersionEntryProps {
  bucket: string
  version: Version
  isLast: boolean
  /** There is a current version to compare with. */
  isCompared: boolean
  /** Chosen in the picture above. */
  isMarked: boolean
  onAction$: QRL<(action: string) => void>
}

export const entryId = (versionId: string): string => `version-${versionId}`

/** One version on the time line. */
export const VersionEntry = component$<VersionEntryProps>(({ bucket, version, isLast, isCompared, isMarked, onAction$ }) => {
  const { tone, icon, title } = describeVersion(version)
  const { key, version_id, is_delete_marker } = version
  const life = useHasLife() ? lifeHref(bucket, key, version_id) : undefined
  const links = { download: downloadHref(bucket, key, version_id), life, isCompared }
  return (
    <li
      id={entryId(version_id)}
      aria-current={isMarked ? 'true' : undefined}
      class="relative flex min-w-0 gap-3 pb-6 last:pb-0 aria-[current]:[&>div]:bg-accent-soft"
    >
      {!isLast && <span aria-hidden="true" class="absolute top-8 bottom-1 left-3.5 w-px bg-line" />}
      <span class={['flex size-7 shrink-0 items-center justify-center rounded-full border', toneBox[tone]]}>
        <Icon name={icon} size={14} />
      </span>
      <div class="kit-ease -mx-2 min-w-0 flex-1 rounded-md px-2 text-sm">
        <div class="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
          <span class="font-medium">{title}</span>
          <span>{formatExactTime(version.created_at)}</span>
          {!is_delete_marker && (
            <>
              <span class="text-muted">
                <Bytes value={version.size} />
              </span>
              <StateMark item={version} />
              <LocationBadges location={version.location} />
            </>
          )}
          {is_delete_marker && <Badge tone="warning">Delete marker</Badge>}
          <span class="text-muted sm:ms-auto">
            <Ago time={version.created_at} />
          </span>
        </div>
        <dl class="mt-1 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
          <Fact label="Version" text={version_id} />
          {!is_delete_marker && <Fact label="ETag" text={version.etag} />}
          {version.piece_cid !== undefined && <Fact label="Piece" text={version.piece_cid} />}
        </dl>
      </div>
      <Menu label={`Actions for version ${version_id}`} items={actionsFor(version, links)} onChoose$={onAction$} />
    </li>
  )
})

const Fact = ({ label, text }: { label: string; text: string }) => (
  <div class="inline-flex items-center gap-1.5">
    <dt>{label}</dt>
    <dd class="text-fg">
      <Copyable text={text} label={`the ${label.toLowerCase()}`} />
    </dd>
  </div>
)
