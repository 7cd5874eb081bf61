import type { Answer, IconName, MenuItem, Tone, VersionPoint } from '@svc/ui-kit'

export type Version = Answer<'GET /buckets/:name/objects/versions'>['versions'][number]

interface VersionWords {
  readonly tone: Tone
  readonly icon: IconName
  readonly title: string
}

export function describeVersion({ is_delete_marker, is_current }: Version): VersionWords {
  if (is_delete_marker) return { tone: 'warning', icon: 'trash', title: is_current ? 'Deleted' : 'Was deleted' }
  return is_current
    ? { tone: 'success', icon: 'circle-check', title: 'Current version' }
    : { tone: 'neutral', icon: 'clock', title: 'Earlier version' }
}

export const toPoint = ({ version_id, is_delete_marker, is_current, size, created_at }: Version): VersionPoint => ({
  id: version_id,
  kind: is_delete_marker ? 'delete-marker' : 'version',
  time: created_at,
  current: is_current,
  size: is_delete_marker ? undefined : size,
})

interface VersionLinks {
  readonly download: string
  readonly life: string | undefined
  readonly isCompared: boolean
}

/** What can be done with a version, and why the rest cannot. */
export function actionsFor(version: Version, links: VersionLinks): readonly MenuItem[] {
  const noBytes = version.is_delete_marker ? 'A delete marker has no bytes.' : undefined
  const locked = (reason: string | undefined) => (reason === undefined ? {} : { lockedReason: reason })
  return [
    {
      id: 'compare',
      label: 'Compare with the current version',
      icon: 'arrow-down-up',
      ...locked(noBytes ?? whyNotCompared(version, links)),
    },
    { id: 'download', label: 'Download', icon: 'download', to: links.download, download: true, ...locked(noBytes) },
    ...(links.life === undefined
      ? []
      : [{ id: 'life', label: 'Life and proofs', icon: 'shield-check', to: links.life, ...locked(noBytes) } as const]),
    {
      id: 'restore',
      label: 'Restore as new version',
      icon: 'archive-restore',
      changes: 'POST /buckets/:name/objects/versions/restore',
      separated: true,
      ...locked(noBytes ?? (version.is_current ? 'It is the current version already.' : undefined)),
    },
    {
      id: 'purge',
      label: 'Delete permanently',
      icon: 'trash',
      danger: true,
      changes: 'POST /buckets/:name/objects/permanent-delete',
      ...locked(
        version.is_delete_marker ? 'To remove a delete marker, restore the object or delete it permanently in the trash.' : undefined,
      ),
    },
  ]
}

function whyNotCompared({ is_current }: Version, { isCompared }: VersionLinks): string | undefined {
  if (is_current) return 'It is the current version.'
  return isCompared ? undefined : 'The current version is on the first page, or the object is deleted.'
}

type RestoreRefusal = 'nothing-to-do' | 'look-again' | 'failed'

/** The two conflicts of a restore, and everything else. */
export function judgeRestoreError({ status, code }: { readonly status: number; readonly code: string | undefined }): RestoreRefusal {
  if (code === 'object_version_already_current') return 'nothing-to-do'
  return status === 409 ? 'look-again' : 'failed'
}
