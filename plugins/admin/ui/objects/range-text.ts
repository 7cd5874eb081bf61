/** Where a page of a list is. Pure. */
import { formatExactCount, formatPlural } from '@svc/ui-kit'

interface Page {
  /** Rows of the pages before; undefined when they are not known, as after a reload. */
  readonly before: number | undefined
  readonly rows: number
  /** Objects of the bucket, in all folders. */
  readonly objects: number | undefined
}

/** `Rows 51–100; 10,400 objects in the bucket` */
export function rangeText({ before, rows, objects }: Page): string {
  const place =
    before === undefined || rows === 0
      ? formatPlural(rows, 'row')
      : `Rows ${formatExactCount(before + 1)}–${formatExactCount(before + rows)}`
  return objects === undefined ? place : `${place}; ${formatExactCount(objects)} ${objects === 1 ? 'object' : 'objects'} in the bucket`
}
