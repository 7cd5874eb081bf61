import { isDeepStrictEqual } from 'node:util'
import type { ShownLifecycleRule } from '../bucket-setting-api.ts'

/** The rules that delete data and are not stored already in this form. The removal of delete markers deletes no data. */
export function newDeletions(rules: readonly ShownLifecycleRule[], stored: readonly ShownLifecycleRule[]): readonly ShownLifecycleRule[] {
  return rules.filter((rule) => rule.enabled && deletesData(rule) && !stored.some((other) => isDeepStrictEqual(other, rule)))
}

const deletesData = ({ expire_days, expire_date, noncurrent_days, abort_upload_days }: ShownLifecycleRule): boolean =>
  [expire_days, expire_date, noncurrent_days, abort_upload_days].some((value) => value !== undefined)
