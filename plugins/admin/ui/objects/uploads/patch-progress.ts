import type { Answer } from '@svc/ui-kit'
import { mergeProgress, type ObjectItem } from '../state-policy.ts'

type Page = Answer<'GET /buckets/:name/objects'>

/** The payload of `upload_progress_updated`. */
export interface Progressed {
  readonly bucket_name: string
  readonly version_id: string
  readonly progress: NonNullable<ObjectItem['progress']>
}

/** A page with newer progress of one object. Pages of other buckets stay the same. */
export function patchProgress(page: Page, bucket: string, { bucket_name, version_id, progress }: Progressed): Page {
  if (bucket_name !== bucket || !page.objects.some(({ current_version_id }) => current_version_id === version_id)) return page
  return {
    ...page,
    objects: page.objects.map((item) =>
      item.current_version_id === version_id
        ? { ...item, state: item.state === 'cached' ? 'uploading' : item.state, progress: mergeProgress(item.progress, progress) }
        : item,
    ),
  }
}
