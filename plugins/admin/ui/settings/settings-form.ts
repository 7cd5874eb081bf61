import type { Texts } from './draft-policy.ts'
import type { FieldErrors } from './tabs-policy.ts'

/** What the page of the settings holds until it is saved. Members are replaced, never changed in place. */
export interface SettingsForm {
  drafts: Texts
  /** Errors of the latest draft that the service checked; undefined without changes. */
  checked: FieldErrors | undefined
}
