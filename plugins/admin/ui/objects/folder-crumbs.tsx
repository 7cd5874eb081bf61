import { component$ } from '@builder.io/qwik'
import { Crumbs, showHidden } from '@svc/ui-kit'
import { bucketHref, folderHref } from '../buckets/links.ts'
import { foldersOf } from './keys-policy.ts'

/** The way from the bucket to the open folder. */
export const FolderCrumbs = component$<{ bucket: string; folder: string }>(({ bucket, folder }) => {
  const folders = foldersOf(folder)
  if (folders.length === 0) return null
  return (
    <Crumbs
      label="Folders"
      items={[
        { label: bucket, to: bucketHref(bucket) },
        ...folders.map(({ name, prefix }, at) => ({
          label: name === '' ? '(no name)' : showHidden(name),
          to: at === folders.length - 1 ? undefined : folderHref(bucket, prefix),
        })),
      ]}
    />
  )
})
