import { component$ } from '@builder.io/qwik'
import { Crumbs, showHidden } from '@svc/ui-kit'
import { bucketHref, folderHref } from '../buckets/links.ts'
import { type FolderCrumb, foldCrumbs, foldersOf } from './keys-policy.ts'

/** The way from the bucket to the open folder; the middle of a long one is a menu. */
export const FolderCrumbs = component$<{ bucket: string; folder: string }>(({ bucket, folder }) => {
  const folders = foldersOf(folder)
  if (folders.length === 0) return null
  const { first, folded, last } = foldCrumbs(folders)
  const linkTo = (crumb: FolderCrumb) => ({ label: nameOf(crumb), to: folderHref(bucket, crumb.prefix) })
  const crumbOf = (crumb: FolderCrumb) => (crumb.prefix === folder ? { label: nameOf(crumb) } : linkTo(crumb))
  const menu = folded.map((one) => ({ id: one.prefix, icon: 'folder', ...linkTo(one) }) as const)
  return (
    <Crumbs
      label="Folders"
      items={[
        { label: bucket, to: bucketHref(bucket) },
        ...first.map(crumbOf),
        ...(menu.length > 0 ? [{ label: `${menu.length} folders between`, menu }] : []),
        ...last.map(crumbOf),
      ]}
    />
  )
})

const nameOf = ({ name }: FolderCrumb): string => (name === '' ? '(no name)' : showHidden(name))
