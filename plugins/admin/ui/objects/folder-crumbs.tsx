import { component$ } from '@builder.io/qwik'
import { Icon, Menu, showHidden } from '@svc/ui-kit'
import { bucketHref, folderHref } from '../buckets/links.ts'
import { type FolderCrumb, foldCrumbs, foldersOf } from './keys-policy.ts'

/** The way from the bucket to the open folder; the middle of a long one is a menu. */
export const FolderCrumbs = component$<{ bucket: string; folder: string }>(({ bucket, folder }) => {
  const folders = foldersOf(folder)
  if (folders.length === 0) return null
  const { first, folded, last } = foldCrumbs(folders)
  return (
    <nav aria-label="Folders" class="min-w-0">
      <ol class="flex min-w-0 flex-wrap items-center gap-1 text-sm text-muted">
        <li class="flex min-w-0 items-center">
          <a href={bucketHref(bucket)} class="max-w-60 truncate rounded-sm hover:text-fg hover:underline">
            {bucket}
          </a>
        </li>
        {first.map((one) => folderCrumb(bucket, one, folder))}
        {folded.length > 0 && (
          <li class="flex items-center gap-1">
            <Icon name="chevron-right" size={14} />
            <Menu
              label={`${folded.length} folders between`}
              align="start"
              items={folded.map((one) => ({ id: one.prefix, label: nameOf(one), icon: 'folder', to: folderHref(bucket, one.prefix) }))}
            />
          </li>
        )}
        {last.map((one) => folderCrumb(bucket, one, folder))}
      </ol>
    </nav>
  )
})

const nameOf = ({ name }: FolderCrumb): string => (name === '' ? '(no name)' : showHidden(name))

const folderCrumb = (bucket: string, crumb: FolderCrumb, open: string) => (
  <li key={crumb.prefix} class="flex min-w-0 items-center gap-1">
    <Icon name="chevron-right" size={14} />
    {crumb.prefix === open ? (
      <span aria-current="page" title={nameOf(crumb)} class="max-w-80 truncate text-fg">
        <bdi>{nameOf(crumb)}</bdi>
      </span>
    ) : (
      <a href={folderHref(bucket, crumb.prefix)} title={nameOf(crumb)} class="max-w-60 truncate rounded-sm hover:text-fg hover:underline">
        <bdi>{nameOf(crumb)}</bdi>
      </a>
    )}
  </li>
)
