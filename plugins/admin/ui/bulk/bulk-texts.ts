import { type Answer, formatPlural } from '@svc/ui-kit'

export type BulkActionFacts = Answer<'GET /bulk-actions/:id'>
export type BulkActionName = BulkActionFacts['action']
/** Present in the preview of the deletion of a bucket. */
export type BulkPreview = Answer<'POST /buckets/:name/bulk-actions/preview'>

interface BulkTexts {
  readonly level: 'review' | 'danger' | 'typed'
  readonly title: (objects: string, bucket: string) => string
  readonly text: string
  readonly confirmLabel: string
  readonly running: string
  /** After the objects, or the bucket. */
  readonly done: string
}

export const bulkTexts: Readonly<Record<BulkActionName, BulkTexts>> = {
  move_to_trash: {
    level: 'danger',
    title: (objects) => `Delete ${objects}?`,
    text: 'They move to the trash: each key gets a delete marker, its versions stay, are still paid for, and can be restored.',
    confirmLabel: 'Move to trash',
    running: 'Moving objects to the trash',
    done: 'moved to the trash',
  },
  restore: {
    level: 'review',
    title: (objects) => `Restore ${objects}?`,
    text: 'Their delete markers are removed, so that the newest version of each is current again.',
    confirmLabel: 'Restore',
    running: 'Restoring objects',
    done: 'restored',
  },
  delete_permanently: {
    level: 'typed',
    title: (objects) => `Delete ${objects} permanently?`,
    text: 'All their versions are removed from the cache and from the providers, and their payment ends. They cannot be restored.',
    confirmLabel: 'Delete permanently',
    running: 'Deleting objects permanently',
    done: 'deleted permanently',
  },
  delete_bucket: {
    level: 'typed',
    title: (_objects, bucket) => `Delete the bucket ${bucket}?`,
    text: 'All its objects, versions and trash are deleted permanently, its open uploads are aborted, and its storage services end. Nothing can be restored.',
    confirmLabel: 'Delete bucket',
    running: 'Deleting the bucket',
    done: 'deleted',
  },
}

/** Says how an action ended: `250 objects moved to the trash`. */
export function describeEnd({ action, bucket, done, status }: BulkActionFacts): string {
  if (action === 'delete_bucket') {
    return status === 'completed'
      ? `Bucket ${bucket} deleted`
      : `Bucket ${bucket} is not deleted; ${formatPlural(done, 'version was', 'versions were')} deleted`
  }
  return `${formatPlural(done, 'object')} ${bulkTexts[action].done}`
}

/** Why some objects, or versions of a bucket, were left out; empty without any. */
export function describeRest({ action, status, skipped, problem, total, done }: BulkActionFacts): string {
  const item = action === 'delete_bucket' ? 'version' : 'object'
  const parts = [
    ...(status === 'stopped' ? [`Stopped: ${formatPlural(Math.max(0, total - done), item)} left as before.`] : []),
    ...(skipped > 0
      ? [`${formatPlural(skipped, item)} changed since the request, and stayed as ${skipped === 1 ? 'it is' : 'they are'}.`]
      : []),
    ...(problem === undefined ? [] : [problem]),
  ]
  return parts.join(' ')
}
